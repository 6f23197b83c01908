/**
 * The end of a wait: so many ms after its `start`, when another signal fires, or when `end` is called. `clear` once nothing waits
 * any more. What is waited for is sent first, and does not wait for the timer.
 *
 * `AbortSignal.timeout` and `any` do the same, but keep a timer, signals and their weak references for the whole time, also
 * of calls that ended long before: a minute of calls at a time. And a signal costs more than all else about a wait, so one is
 * made only where one is read.
 */
export class Deadline {
  isOver = false;
  /** What is to be done when the time is over, by who waits at the moment. */
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
