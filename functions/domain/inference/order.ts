import type { ServiceName } from '#contract/billing/prices.ts';
import type { PriceCode } from '../meter/pricing.ts';
import type { Tokenizer, TokenEncoding } from '../shared/ports.ts';
import { contextLengthExceeded, ServiceError } from '../shared/service-error.ts';
import type { JsonLiterals } from '../shared/text.ts';
import type { ChatFormat, ModelChatReply, ModelChatRequest } from './chat.ts';
import type { CompletionFormat, ModelCompletionReply, ModelCompletionRequest } from './completion.ts';
import type { EmbeddingsInput, ModelEmbeddingsRequest, ModelEmbeddings } from './embeddings.ts';
import type { ModelChunk } from './model-stream.ts';
import type { OutputCheck } from './output-rule.ts';
import type { Tariff } from './tariff.ts';

/** A priced call before its admission. `amount`: its maximum cost in microcredits. */
export interface Order {
  readonly model: string;
  readonly service?: ServiceName;
  readonly amount: number;
  /** The price that it is charged by. Default: the service's. */
  readonly price?: PriceCode;
  readonly stream?: boolean;
  /** Requested tools of kinds that are not served, which the model is not offered. */
  readonly toolsLeftOut?: readonly string[] | undefined;
  /** Set if the reply must fit a requested format. */
  readonly check?: OutputCheck | undefined;
  /** The model call, if it can be prepared during the admission. */
  readonly call?: Preparable;
  /** Set if `amount` is an upper bound. Reduces the order to a budget in microcredits, if possible. */
  readonly within?: (budget: number) => Promise<Order | undefined>;
  /** The largest `max_tokens` that a budget in microcredits pays, for the refusal of an order that is not reduced. */
  readonly affordableOutput?: (budget: number) => Promise<number>;
}

export interface Preparable {
  /** Prepares the call in the background. Errors are rethrown on first use. `literals`: of the caller's request. */
  prepare(literals?: JsonLiterals): void;
}

interface ModelOrder<Request> extends Order {
  readonly request: Request;
  /** Applies until the call is charged, even if the model's price changes in the meantime. */
  readonly tariff: Tariff;
  readonly price: PriceCode;
}

interface TextOrder<Request, Format> extends ModelOrder<Request> {
  readonly format: Format;
}

export interface WholeCall<Reply> {
  readonly stream: false;
  readonly call: ModelCall<Promise<Reply>>;
}

export interface StreamedCall {
  readonly stream: true;
  readonly call: ModelCall<ModelStream>;
}

type ChatParts<Body> = Omit<TextOrder<ModelChatRequest, ChatFormat<Body>>, 'within'> & {
  readonly within?: (budget: number) => Promise<ChatOrder<Body> | undefined>;
  readonly offered: ReadonlySet<string>;
  /** Counts the prompt's tokens; some formats report them before the first token of output. */
  readonly countPrompt: () => Promise<number>;
  /** Checks the text of a complete reply. */
  readonly check: OutputCheck | undefined;
};
export type WholeChatOrder<Body> = ChatParts<Body> & WholeCall<ModelChatReply>;
export type StreamedChatOrder = ChatParts<unknown> & StreamedCall;
export type ChatOrder<Body> = ChatParts<Body> & (WholeCall<ModelChatReply> | StreamedCall);

type CompletionParts<Body> = Omit<TextOrder<ModelCompletionRequest, CompletionFormat<Body>>, 'within'> & {
  readonly within?: (budget: number) => Promise<CompletionOrder<Body> | undefined>;
};
export type WholeCompletionOrder<Body> = CompletionParts<Body> & WholeCall<ModelCompletionReply>;
export type StreamedCompletionOrder = CompletionParts<unknown> & StreamedCall;
export type CompletionOrder<Body> = CompletionParts<Body> & (WholeCall<ModelCompletionReply> | StreamedCall);

export type EmbeddingsOrder = ModelOrder<ModelEmbeddingsRequest> & {
  readonly input: Pick<EmbeddingsInput, 'model' | 'encoding_format'>;
};

/** Sampling parameters. Null or absent ones use the model's default. */
export interface Sampling {
  readonly temperature: number;
  readonly top_p: number;
  readonly top_k: number;
  readonly frequency_penalty: number;
  readonly presence_penalty: number;
  readonly stop?: string | readonly string[] | null | undefined;
  readonly seed?: number | null | undefined;
}

export function modelSampling(request: Sampling) {
  const { temperature, top_p, top_k, frequency_penalty, presence_penalty, stop, seed } = request;
  return {
    temperature,
    top_p,
    top_k,
    frequency_penalty,
    presence_penalty,
    ...(stop?.length && { stop: typeof stop === 'string' ? [stop] : stop }),
    ...(typeof seed === 'number' && { seed }),
  };
}

/** Rejects unless the credential is valid. Awaited before counting tokens, which costs more than reading a request. */
export type Proof = () => Promise<void>;

/** Counts the tokens of texts lazily, at most once, and no further than needed. */
export class TokenCount {
  readonly #texts: readonly string[];
  readonly #tokenizer: Tokenizer;
  #counted: { readonly tokens: number; readonly limit: number } | undefined;

  constructor(texts: readonly string[], tokenizer: Tokenizer) {
    this.#texts = texts;
    this.#tokenizer = tokenizer;
  }

  /** Returns an upper bound: the bytes up to `enough`, without counting; otherwise like `upTo`. */
  async bound(enough: number, limit: number, prove: Proof): Promise<number> {
    const units = this.#texts.reduce((sum, { length }) => sum + length, 0);
    // A text has at least as many bytes as UTF-16 units.
    const bytes = units > enough ? units : bytesOf(this.#texts);
    if (bytes <= enough) return bytes;
    await prove();
    return this.upTo(limit);
  }

  /** Like `bound`, but counts only until an upper bound is at most `enough`. */
  async looseBound(enough: number, limit: number, prove: Proof): Promise<number> {
    let rest = bytesOf(this.#texts);
    if (rest <= enough) return rest;
    await prove();
    let tokens = 0;
    for (const text of this.#texts) {
      rest -= Buffer.byteLength(text);
      tokens += await this.#tokenizer.count(text, limit - tokens, enough - tokens - rest);
      if (tokens > limit) return tokens;
      if (tokens + rest <= enough) return tokens + rest;
    }
    this.#counted = { tokens, limit };
    return tokens;
  }

  async upTo(limit: number): Promise<number> {
    const known = this.#counted;
    if (known && (known.tokens <= known.limit || limit <= known.limit)) return known.tokens;
    let tokens = 0;
    for (const text of this.#texts) {
      tokens += await this.#tokenizer.count(text, limit - tokens);
      if (tokens > limit) break;
    }
    this.#counted = { tokens, limit };
    return tokens;
  }
}

const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

const maxSpecialTokens = 8;

/** Returns the maximum number of tokens: a text of n UTF-8 bytes has at most n. */
export const maxTokensOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + maxSpecialTokens, 0);

export async function countTokens(texts: readonly string[], tokenizer: Tokenizer): Promise<number> {
  return new TokenCount(texts, tokenizer).upTo(Number.POSITIVE_INFINITY);
}

/** Throws MODEL_ERROR, MODEL_TIMEOUT, or SERVICE_UNAVAILABLE, which includes missing endpoints. */
export interface ModelGateway {
  chat(model: string, request: ModelChatRequest): ModelCall<Promise<ModelChatReply>>;
  chatStream(model: string, request: ModelChatRequest): ModelCall<ModelStream>;
  completion(model: string, request: ModelCompletionRequest): ModelCall<Promise<ModelCompletionReply>>;
  completionStream(model: string, request: ModelCompletionRequest): ModelCall<ModelStream>;
  embed(model: string, request: ModelEmbeddingsRequest): Promise<ModelEmbeddings>;
}

/** A model call that is sent once. `prepare` serializes and signs the request; otherwise `send` does. */
export interface ModelCall<Result> extends Preparable {
  /** `signal` shortens the gateway's own deadline. An abort is a MODEL_TIMEOUT too. */
  send(signal?: AbortSignal): Result;
}

/** Must be consumed immediately, because its deadline is already running. */
export interface ModelStream {
  readonly chunks: AsyncGenerator<ModelChunk>;
  readonly cancel: () => void;
}

export interface Decoding {
  readonly model: string;
  /** Maximum tokens of a text. */
  readonly window: number;
  /** Maximum UTF-8 bytes of all texts: as many as the body of a request may have. A token may have 128. */
  readonly maxBytes: number;
  /** Name of the field, for errors. */
  readonly path: string;
  readonly tokenizer: TokenEncoding;
  readonly prove: Proof;
}

/** Decodes texts that a client sent as token ids. Throws 400 if a text exceeds the window or all exceed `maxBytes`. */
export async function decodedTexts(
  texts: readonly (readonly number[])[],
  { model, window, maxBytes, path, tokenizer, prove }: Decoding,
): Promise<readonly string[]> {
  const longest = texts.find((ids) => ids.length > window);
  if (longest) throw contextLengthExceeded(model, window, longest.length, 0);
  await prove();
  const decoded = await tokenizer.decode(texts, maxBytes);
  if (decoded) return decoded;
  throw new ServiceError('INVALID_FORMAT', `${path} must decode to at most ${maxBytes} bytes of text.`, {
    field: { path, isMissing: false },
  });
}
