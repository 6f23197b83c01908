import * as v from 'valibot';

/** Result of a function on a stream or queue (AWS "Implementing partial batch responses"). */
export const BatchResponse = v.nullish(
  v.object({ batchItemFailures: v.nullish(v.array(v.object({ itemIdentifier: v.string() }))) }),
);

export interface PumpOptions {
  /** Reads the source once. Resolves with true if everything was processed. Rejects early if the signal aborts. */
  readonly poll: (ending: AbortSignal) => Promise<boolean>;
  /** Minimum milliseconds between reads. */
  readonly restMs: number;
  /** Maximum milliseconds between reads, unless the pump is woken. */
  readonly idleMs: number;
  /** Called after a failed read, except during shutdown. */
  readonly onError: (error: unknown) => void;
}

/** Stands in for Lambda's event source mapping: repeatedly delivers work from a source to a function. */
export interface Pump {
  /** Resolves when everything in the source at the time of the call is processed. */
  settled(): Promise<void>;
  /** Reads the source as soon as `restMs` allows. */
  wake(): void;
  close(): Promise<void>;
}

const afterErrorMs = 500;

/** A pause that can be ended early. Aborting a signal would take longer than a read of the source. */
export function startPause(ms: number): { readonly over: Promise<void>; readonly end: () => void } {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return {
    over,
    end() {
      clearTimeout(timer);
      resolve();
    },
  };
}

export function startPump({ poll, restMs, idleMs, onError }: PumpOptions): Pump {
  const ending = new AbortController();
  let waiters: PromiseWithResolvers<void>[] = [];
  let endPause = (): void => undefined;
  let [isIdle, isAwake] = [false, false];

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      const waiting = waiters;
      waiters = [];
      isAwake = false;
      const outcome = await poll(ending.signal).catch((error: unknown) => ({ error }));
      if (outcome === true) for (const waiter of waiting) waiter.resolve();
      else waiters = [...waiting, ...waiters];
      if (outcome === true) await rest();
      else if (outcome !== false) await recover(outcome.error);
    }
    for (const waiter of waiters) waiter.reject(new Error('the service is stopping'));
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
    const { over, end } = startPause(ms);
    endPause = end;
    await over;
  }

  function settled(): Promise<void> {
    if (ending.signal.aborted) return Promise.reject(new Error('the service is stopping'));
    const waiter = Promise.withResolvers<void>();
    waiters.push(waiter);
    endPause();
    return waiter.promise;
  }

  function wake(): void {
    isAwake = true;
    if (isIdle) endPause();
  }

  const ended = run();
  async function close(): Promise<void> {
    ending.abort();
    endPause();
    await ended;
  }

  return { settled, wake, close };
}
