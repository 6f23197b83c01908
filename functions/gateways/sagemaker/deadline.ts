import { BodyTooLarge } from '#aws/bounded-body.ts';
import type { Streaming } from './runtime.ts';

/**
 * The deadline of a wait, in ms after `start`. Another signal or `end` ends it earlier. Call `clear` after the last
 * wait. The timer starts after the request is sent. `AbortSignal.timeout` and `any` would keep a timer, signals and weak
 * references of finished calls until the timeout. A signal is created only on use, because it is expensive.
 */
export class Deadline {
  isOver = false;
  /** Callbacks of the current waits. */
  onEnd: (() => void) | undefined;
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  readonly #other: AbortSignal | undefined;
  #controller: AbortController | undefined;

  constructor(ms: number, other?: AbortSignal) {
    this.#ms = ms;
    this.#other = other;
    if (other?.aborted) this.end();
    else other?.addEventListener('abort', this.end, { once: true });
  }

  start(): void {
    this.#timer = setTimeout(this.end, this.#ms);
  }

  readonly end = (): void => {
    if (this.isOver) return;
    this.isOver = true;
    this.#controller?.abort();
    this.onEnd?.();
  };

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#other?.removeEventListener('abort', this.end);
  }
}

interface PartLimits {
  /** Deadline of the whole stream. */
  readonly deadline: Deadline;
  /** Maximum milliseconds of each wait for output. Excludes the time that our own consumer needs. */
  readonly waitMs: number;
  /** Maximum bytes of the whole stream. */
  readonly maxBytes: number;
}

/** Bytes added for each part and each event of a stream, so that many tiny ones also reach the limit. */
export const pieceBytes = 128;

/** Invokes a model and reads its output, limited in time and size. A wait longer than `waitMs` ends the deadline. */
export class TimedParts {
  readonly #parts: AsyncIterator<Buffer>;
  readonly #limits: PartLimits;
  readonly #timer: NodeJS.Timeout;
  #first: Promise<IteratorResult<Buffer>> | undefined;
  #isWaiting = false;
  #bytes = 0;

  constructor(parts: Streaming, limits: PartLimits) {
    const { deadline, waitMs } = limits;
    this.#limits = limits;
    this.#parts = parts(deadline)[Symbol.asyncIterator]();
    this.#first = this.#parts.next();
    deadline.start();
    this.#timer = setTimeout(() => {
      if (this.#isWaiting) deadline.end();
    }, waitMs);
  }

  async next(): Promise<IteratorResult<Buffer>> {
    const next = this.#first ?? this.#parts.next();
    this.#first = undefined;
    this.#isWaiting = true;
    const part = await next;
    this.#isWaiting = false;
    if (!part.done) this.count(part.value.length);
    return part;
  }

  /** Counts a piece of the stream. Throws BodyTooLarge above the limit. */
  count(bytes: number): void {
    const { maxBytes } = this.#limits;
    this.#bytes += bytes + pieceBytes;
    if (this.#bytes > maxBytes) throw new BodyTooLarge(maxBytes);
  }

  /** Restarts the wait after output, or after the consumer accepted it. */
  restartWait(): void {
    this.#timer.refresh();
  }

  /** Stops limiting the waits. The deadline still applies. */
  endWaits(): void {
    clearTimeout(this.#timer);
  }

  /** Cancels the model unless it has finished (`isWhole`). The connection of a finished one can be reused. */
  async close(isWhole: boolean): Promise<void> {
    const { deadline } = this.#limits;
    this.endWaits();
    deadline.clear();
    if (isWhole) await this.#parts.return?.();
    else deadline.end();
  }
}
