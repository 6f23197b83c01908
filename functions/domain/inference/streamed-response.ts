import type { ModelUsage } from './model-stream.ts';

/** What an operation responds with chunk by chunk, as its model generates them. The generation begins immediately. */
export class StreamedResponse<Chunk = unknown> {
  readonly #chunks: AsyncIterator<Chunk>;
  readonly #cost: (isWhole: boolean) => Promise<number>;
  readonly #cancel: () => void;
  readonly #usage: () => ModelUsage | null | undefined;
  readonly #ifLeft: 'cancel' | 'finish';
  readonly #first: Promise<IteratorResult<Chunk>>;
  #isRead = false;
  #isWhole = false;

  /**
   * `cost` computes what the response has come to, in microcredits; `usage` returns its tokens as far as they were counted; `ifLeft`: what becomes
   * of it when its reader takes no more.
   */
  constructor(
    chunks: AsyncIterator<Chunk>,
    cost: (isWhole: boolean) => Promise<number>,
    cancel: () => void,
    usage: () => ModelUsage | null | undefined = () => undefined,
    ifLeft: 'cancel' | 'finish' = 'cancel',
  ) {
    this.#chunks = chunks;
    this.#cost = cost;
    this.#cancel = cancel;
    this.#usage = usage;
    this.#ifLeft = ifLeft;
    this.#first = chunks.next();
    // Whoever does not wait for it need not hear of its failure.
    this.#first.catch(() => undefined);
  }

  /** Resolves when there is something to send. Fails where the model does before that: then nothing is sent or charged. */
  async begun(): Promise<void> {
    await this.#first;
  }

  /** What is sent next; fails where the model does. */
  async next(): Promise<IteratorResult<Chunk>> {
    const chunk = await (this.#isRead ? this.#chunks.next() : this.#first);
    this.#isRead = true;
    this.#isWhole ||= chunk.done === true;
    return chunk;
  }

  /** What it has come to so far, in microcredits; final once it has ended. Nothing when not even the first chunk was taken. */
  async cost(): Promise<number> {
    return this.#isRead ? this.#cost(this.#isWhole) : 0;
  }

  /** Tokens that were used, as far as they were reported or counted. */
  get usage(): ModelUsage | undefined {
    return this.#usage() ?? undefined;
  }

  /** Nobody takes more: ends the model's work, or has it come to its end, whatever that is. */
  async leave(): Promise<void> {
    if (this.#ifLeft === 'cancel') return this.cancel();
    try {
      while (!this.#isWhole) await this.next();
    } catch {
      // What has failed is not whole, and settled as such.
    }
  }

  /** Ends the model's work. */
  cancel(): void {
    if (!this.#isWhole) this.#cancel();
  }
}

/** What an operation responds with as the bytes of a file, while it is made. */
export class StreamedBytes extends StreamedResponse<Buffer> {
  readonly contentType: string;

  constructor(
    contentType: string,
    chunks: AsyncIterator<Buffer>,
    cost: (isWhole: boolean) => Promise<number>,
    cancel: () => void,
  ) {
    super(chunks, cost, cancel);
    this.contentType = contentType;
  }
}
