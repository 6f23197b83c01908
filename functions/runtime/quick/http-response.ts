import type { Dispatcher } from 'undici';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What a response's body comes over. */
interface Source {
  readonly flow: Pick<Dispatcher.DispatchController, 'pause' | 'resume'>;
  readonly close: () => void;
}

/** Bytes that may wait for their reader before the sender has to. */
const maxWaitingBytes = 64 * 1024;
/** Milliseconds that the end of a response may take when nobody reads it any more. */
const endMs = 1000;

/** A response whose body is read once, piece by piece. Header names are in lower case. */
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

  /** With an error if it is not whole. */
  end(error?: Error): void {
    clearTimeout(this.#patience);
    this.#isComplete = true;
    this.#error = error;
    this.#wake?.();
  }

  /** Whoever stops before the end leaves the rest unread: the connection serves the next call if the end comes soon. */
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

  /** What has come next; undefined at the end. */
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
