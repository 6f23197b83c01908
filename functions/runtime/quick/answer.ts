import type { AnswerHead } from './answer-reader.ts';

/** What an answer's body comes over. */
interface Source {
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
}

/** Bytes that may wait for their reader before the source has to. */
const mostWaiting = 64 * 1024;
/** Milliseconds that the end of an answer may take when nobody reads it any more. */
const endMs = 1000;

/** An answer to one request. Its body is read once, whole or piece by piece. */
export class Answer implements AsyncIterable<Buffer> {
  readonly head: AnswerHead;
  readonly #source: Source;
  readonly #pieces: Buffer[] = [];
  #waiting = 0;
  #isComplete = false;
  #isLeft = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(head: AnswerHead, source: Source) {
    this.head = head;
    this.#source = source;
  }

  push(pieces: readonly Buffer[]): void {
    if (this.#isLeft) return;
    for (const piece of pieces) {
      this.#pieces.push(piece);
      this.#waiting += piece.length;
    }
    if (this.#waiting > mostWaiting) this.#source.pause();
    this.#wake?.();
  }

  /** With an error if it is not whole. */
  end(error?: Error): void {
    clearTimeout(this.#patience);
    this.#isComplete = true;
    this.#error = error;
    this.#wake?.();
  }

  /** The whole body; rejects when it breaks. */
  async bytes(): Promise<Buffer> {
    const all: Buffer[] = [];
    for (let piece = await this.#piece(); piece; piece = await this.#piece()) all.push(piece);
    return all.length === 1 && all[0] ? all[0] : Buffer.concat(all);
  }

  /** Whoever stops before the end leaves the rest unread: the connection serves the next call if that comes soon. */
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
      await this.#more();
    }
    const piece = this.#pieces.shift();
    const wasFull = this.#waiting > mostWaiting;
    this.#waiting -= piece?.length ?? 0;
    if (wasFull && this.#waiting <= mostWaiting) this.#source.resume();
    return piece;
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  #leave(): void {
    if (this.#isComplete) return;
    this.#isLeft = true;
    this.#source.resume();
    this.#patience = setTimeout(() => this.#source.destroy(), endMs).unref();
  }
}
