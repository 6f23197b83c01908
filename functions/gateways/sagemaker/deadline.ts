/**
 * The end of a wait: after so many ms, when another signal fires, or when `end` is called. `clear` once nothing waits any more.
 *
 * `AbortSignal.timeout` and `any` say the same, but keep a timer, signals and their weak references for the whole time, also
 * of calls that ended long before: a minute of calls at a time. And a signal costs more than all else about a wait, so one is
 * made only for who asks.
 */
export class Deadline {
  isOver = false;
  /** What is to be done when the time is over, by who waits at the moment. */
  onEnd: (() => void) | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #other: AbortSignal | undefined;
  #controller: AbortController | undefined;

  constructor(ms: number, other?: AbortSignal) {
    this.#timer = setTimeout(this.end, ms);
    this.#other = other;
    if (other?.aborted) this.end();
    else other?.addEventListener('abort', this.end, { once: true });
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
