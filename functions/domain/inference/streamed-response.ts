import type { Refusal } from '#contract/shared/errors.ts';
import type { ModelUsage } from './model-stream.ts';

export interface StreamOptions<Chunk> {
  /** Default: `cancel`. `finish` reads the model's reply to its end. */
  readonly onDisconnect?: 'cancel' | 'finish';
  readonly failureChunks?: ((refusal: Refusal) => readonly Chunk[]) | undefined;
}

/** More than the output tokens of any model. */
const maxRecordedChunks = 200_000;

/** A streamed result of an operation. Generation starts immediately. */
export class StreamedResponse<Chunk = unknown> {
  readonly #chunks: AsyncIterator<Chunk>;
  readonly #cost: (isWhole: boolean) => Promise<number>;
  readonly #cancel: () => void;
  readonly #usage: () => ModelUsage | null | undefined;
  readonly #options: StreamOptions<Chunk>;
  readonly #first: Promise<IteratorResult<Chunk>>;
  #recorded: Chunk[] | undefined;
  #isRead = false;
  #isWhole = false;

  /** `cost`: microcredits so far. `usage`: tokens so far. */
  constructor(
    chunks: AsyncIterator<Chunk>,
    cost: (isWhole: boolean) => Promise<number>,
    cancel: () => void,
    usage: () => ModelUsage | null | undefined = () => undefined,
    options: StreamOptions<Chunk> = {},
  ) {
    this.#chunks = chunks;
    this.#cost = cost;
    this.#cancel = cancel;
    this.#usage = usage;
    this.#options = options;
    this.#first = chunks.next();
    // Reported by the next read; without one, the failure is ignored.
    this.#first.catch(() => undefined);
  }

  /** Resolves at the first chunk. If the model fails earlier, nothing is sent or charged. */
  async begun(): Promise<void> {
    await this.#first;
  }

  async next(): Promise<IteratorResult<Chunk>> {
    const chunk = await (this.#isRead ? this.#chunks.next() : this.#first);
    this.#isRead = true;
    this.#isWhole ||= chunk.done === true;
    if (this.#recorded && !chunk.done && this.#recorded.length < maxRecordedChunks) this.#recorded.push(chunk.value);
    return chunk;
  }

  /** Returns a list of the chunks that are read from now on, up to a limit. */
  record(): readonly Chunk[] {
    return (this.#recorded ??= []);
  }

  /** Returns the cost so far in microcredits; final after the end, and 0 before the first chunk is read. */
  async cost(): Promise<number> {
    return this.#isRead ? this.#cost(this.#isWhole) : 0;
  }

  get usage(): ModelUsage | undefined {
    return this.#usage() ?? undefined;
  }

  /** Handles a client disconnect: cancels the generation or consumes it to its end. */
  async disconnect(): Promise<void> {
    if (this.#options.onDisconnect !== 'finish') return this.cancel();
    try {
      while (!this.#isWhole) await this.next();
    } catch {}
  }

  /** The chunks that report a failure after the first chunk. Undefined if the response's format reports it. */
  failureChunks(refusal: Refusal): readonly Chunk[] | undefined {
    return this.#options.failureChunks?.(refusal);
  }

  cancel(): void {
    if (!this.#isWhole) this.#cancel();
  }
}

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
