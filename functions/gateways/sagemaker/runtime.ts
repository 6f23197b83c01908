import { randomBytes } from 'node:crypto';
import { BodyTooLarge } from '#aws/bounded-body.ts';
import { findModel } from '#contract/inference/models.ts';
import type { BedrockEndpoint, OpenAiEndpoint, SageMakerEndpoint } from '#contract/offer/offer.ts';
import { type JsonLiterals, minLiteralUnits } from '#domain/shared/text.ts';

export type SageMakerPlace = Pick<SageMakerEndpoint, 'kind' | 'endpoint' | 'component'>;

export interface Invocation<Place = SageMakerPlace | OpenAiEndpoint | BedrockEndpoint> {
  readonly place: Place;
  /** Sent as JSON, unless it is already bytes of type `contentType`. */
  readonly body: unknown;
  /** Literals of strings in the body, which are copied. */
  readonly literals?: JsonLiterals | undefined;
  readonly contentType?: string | undefined;
  /** Media type of the reply. Default: JSON. */
  readonly accept?: string | undefined;
  /** Selects an API of a container that has several. */
  readonly attributes?: string | undefined;
  /** Maximum bytes of a whole reply. A longer one throws BodyTooLarge. */
  readonly maxBytes: number;
}

/** Sends an invocation and returns its whole reply as JSON. */
export type Invoke = (deadline: Deadline) => Promise<unknown>;

/** Sends an invocation and streams the bytes of its reply, with backpressure. */
export type Streaming = (deadline: Deadline) => AsyncIterable<Buffer>;

/** A client of one kind of endpoints, or of all. Prepares an invocation and returns a function that sends it once. */
export interface ModelRuntime<Place = Invocation['place']> {
  reply(invocation: Invocation<Place>): Invoke;
  parts(invocation: Invocation<Place>): Streaming;
}

/** Stands for a literal. Random, because texts of callers are beside it. */
const placeholder = JSON.stringify(randomBytes(16).toString('hex'));

/** Serializes a body like `JSON.stringify`, but copies the literals that are known. */
export function jsonBytes(body: unknown, literals?: JsonLiterals): Buffer {
  if (!literals) return Buffer.from(JSON.stringify(body));
  const copied: string[] = [''];
  const text = JSON.stringify(body, (_key, value) => {
    const literal = typeof value === 'string' && value.length >= minLiteralUnits ? literals.get(value) : undefined;
    if (literal === undefined) return value;
    copied.push(literal);
    return placeholder.slice(1, -1);
  });
  const pieces = text.split(placeholder).flatMap((piece, index) => [copied[index] ?? '', piece]);
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0));
  let at = 0;
  for (const piece of pieces) at += bytes.write(piece, at);
  return bytes;
}

export const commandInput = ({
  place,
  body,
  literals,
  contentType = 'application/json',
  accept = 'application/json',
  attributes,
}: Invocation<SageMakerPlace>) => ({
  EndpointName: place.endpoint,
  InferenceComponentName: place.component,
  ContentType: contentType,
  Accept: accept,
  CustomAttributes: attributes,
  // Encoded once, for the signature and the request.
  Body: body instanceof Uint8Array ? body : jsonBytes(body, literals),
});

const kilobyte = 1024;

/** Bytes of everything except the output: ids, usage, finish reasons. */
const aboutBytes = 64 * kilobyte;
/**
 * Bytes per token of a whole response: the longest token of a vocabulary, escaped, and TGI's details for each prompt
 * token.
 */
const wholeTokenBytes = 384;
/** Maximum bytes of a token with its log probability and its list of bytes. */
export const logprobBytes = 512;
/** Bytes of one vector: 4,096 dimensions at 32 bytes. */
const vectorBytes = 128 * kilobyte;
/** Bytes per token of a stream, whose chunks repeat their metadata. */
const streamedTokenBytes = 4 * kilobyte;
/** Bytes of a text response in addition to its tokens: choices that were not requested, keep-alive comments, empty chunks. */
const extraBytes = 1024 * kilobyte;

/** Maximum bytes of a whole text response with this many described tokens: the output, with TGI also the prompt. */
export const maxTextBytes = (tokens: number): number => extraBytes + wholeTokenBytes * tokens;

/** The model's context window, in tokens. */
export const windowOf = (model: string): number =>
  (findModel(model, 'chat') ?? findModel(model, 'completion'))?.contextWindow ?? 0;

export const maxEmbeddingsBytes = (texts: number): number => aboutBytes + vectorBytes * texts;

export const maxStreamBytes = (maxTokens: number): number => extraBytes + streamedTokenBytes * maxTokens;

/** Bytes added for each part and each event of a stream, so that many tiny ones also reach the limit. */
export const pieceBytes = 128;

/**
 * Bytes of the audio of one text: 20 minutes, the longest duration at the lowest speed, at 24,000 16-bit samples a
 * second.
 */
export const maxSpeechBytes = 20 * 60 * 48_000;

/** Bytes of a transcript: hours of speech with word times. */
export const maxTranscriptBytes = 8 * 1024 * kilobyte;

/**
 * The deadline of a wait, in ms after `start`. Another signal or `end` ends it earlier. Call `clear` after the last wait.
 * The timer starts after the request is sent. `AbortSignal.timeout` and `any` would keep a timer, signals and weak
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

/** Errors with the names of SageMaker's runtime (`./sagemaker/errors.ts`), so that callers see no difference. */

/** An error of the model itself, with its status and message. */
export const modelError = (status: number, text: string): Error =>
  Object.assign(new Error(`status ${status}`), {
    name: 'ModelError',
    OriginalStatusCode: status >= 400 ? status : 502,
    OriginalMessage: text,
  });

/** A mistake of the deployer. Callers see an unavailable model. */
export const misconfigured = (reason: string, cause?: unknown): Error =>
  Object.assign(new Error(reason, { cause }), { name: 'ValidationException' });

/** Throttled, starting or overloaded. */
export const busy = (cause: unknown): Error =>
  Object.assign(new Error('busy', { cause }), { name: 'ThrottlingException' });
