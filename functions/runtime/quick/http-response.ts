import type { Dispatcher } from 'undici';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface Source {
  readonly flow: Pick<Dispatcher.DispatchController, 'pause' | 'resume'>;
  readonly close: () => void;
}

const maxWaitingBytes = 64 * 1024;
/** Milliseconds that an abandoned response may take to end before its connection is closed. */
const endMs = 1000;

/** A response whose body is read once, in pieces. Header names are lower-case. */
export class HttpResponse implements AsyncIterable<Buffer> {
  readonly status: number;
  readonly headers: Headers;
  readonly #source: Source;
  readonly #pieces: Buffer[] = [];
  #waitingBytes = 0;
  #isComplete = false;
  #isLeft = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(status: number, headers: Headers, source: Source) {
    this.status = status;
    this.headers = headers;
    this.#source = source;
  }

  push(piece: Buffer): void {
    if (this.#isLeft) return;
    this.#pieces.push(piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes > maxWaitingBytes) this.#source.flow.pause();
    this.#wake?.();
  }

  end(error?: Error): void {
    clearTimeout(this.#patience);
    this.#isComplete = true;
    this.#error = error;
    this.#wake?.();
  }

  /** If the consumer stops early, the connection is reused only if the response ends soon. */
  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    return {
      next: async () => {
        const value = await this.#piece();
        return value ? { done: false, value } : { done: true, value };
      },
      return: async () => {
        this.#leave();
        return { done: true, value: undefined };
      },
    };
  }

  async #piece(): Promise<Buffer | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#error) throw this.#error;
      if (this.#isComplete) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    const piece = this.#pieces.shift();
    this.#waitingBytes -= piece?.length ?? 0;
    if (this.#waitingBytes <= maxWaitingBytes) this.#source.flow.resume();
    return piece;
  }

  #leave(): void {
    if (this.#isComplete) return;
    this.#isLeft = true;
    this.#source.flow.resume();
    this.#patience = setTimeout(this.#source.close, endMs).unref();
  }
}
