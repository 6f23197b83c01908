import { setTimeout as sleep } from 'node:timers/promises';

export interface PumpOptions {
  /** One look at the source; true when all that was there has been done. Ends early, rejecting, once the signal is aborted. */
  readonly look: (ending: AbortSignal) => Promise<boolean>;
  /** At least between two looks. */
  readonly restMs: number;
  /** At most, where nothing wakes the pump before. */
  readonly idleMs: number;
  /** What to do about a look that was rejected, before the next one; not called while the pump ends. */
  readonly onError: (error: unknown) => void;
}

/** Lambda's event source mapping on one machine: takes work from a source to a function, again and again. */
export interface Pump {
  /** Resolves when everything is done that the source held at the call. */
  settled(): Promise<void>;
  /** The source may hold more: it is looked at as soon as the last look is `restMs` ago. */
  wake(): void;
  /** Lets the batch under way end. */
  close(): Promise<void>;
}

const afterErrorMs = 500;

export function startPump({ look, restMs, idleMs, onError }: PumpOptions): Pump {
  const ending = new AbortController();
  let waiters: PromiseWithResolvers<void>[] = [];
  let idle = new AbortController();
  let [isIdle, isAwake] = [false, false];

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      const waiting = waiters;
      waiters = [];
      isAwake = false;
      const outcome = await look(ending.signal).catch((error: unknown) => ({ error }));
      if (outcome === true) for (const waiter of waiting) waiter.resolve();
      else waiters = [...waiting, ...waiters];
      if (outcome === true) await rest();
      else if (outcome !== false) await recover(outcome.error);
    }
    for (const waiter of waiters) waiter.reject(new Error('the service was stopped'));
  }

  async function rest(): Promise<void> {
    if (waiters.length > 0) return;
    await pause(restMs);
    if (isAwake || waiters.length > 0) return;
    isIdle = true;
    await pause(idleMs - restMs);
    isIdle = false;
  }

  async function recover(error: unknown): Promise<void> {
    if (ending.signal.aborted) return;
    onError(error);
    await pause(afterErrorMs);
  }

  async function pause(ms: number): Promise<void> {
    if (ending.signal.aborted) return;
    idle = new AbortController();
    await sleep(ms, undefined, { signal: idle.signal }).catch(() => undefined);
  }

  function settled(): Promise<void> {
    if (ending.signal.aborted) return Promise.reject(new Error('the service was stopped'));
    const waiter = Promise.withResolvers<void>();
    waiters.push(waiter);
    idle.abort();
    return waiter.promise;
  }

  function wake(): void {
    isAwake = true;
    if (isIdle) idle.abort();
  }

  const ended = run();
  async function close(): Promise<void> {
    ending.abort();
    idle.abort();
    await ended;
  }

  return { settled, wake, close };
}

/** Something that has been started and must be ended. */
export interface Part {
  close(): unknown;
}

/** What has been started so far; ended in the opposite order. */
export interface Closers {
  /** A part that is added after the end is ended immediately. */
  add(part: Part): void;
  /** Ends everything once; goes on when one fails, and rejects with the first failure at the end. */
  closeAll(): Promise<void>;
}

export function createClosers(): Closers {
  const parts: Part[] = [];
  let closing: Promise<void> | undefined;

  async function run(): Promise<void> {
    const failures: unknown[] = [];
    for (const part of parts.toReversed()) {
      try {
        await part.close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  function add(part: Part): void {
    if (closing) void closing.then(() => part.close());
    else parts.push(part);
  }

  return { add, closeAll: () => (closing ??= run()) };
}
