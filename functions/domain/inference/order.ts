import type { ServiceName } from '#contract/billing/prices.ts';
import type { EmbeddingsRequest } from '#contract/inference/requests.ts';
import type { Tokenizer } from '../shared/ports.ts';
import type { ChatFormat, ModelChatReply, ModelChatRequest } from './chat.ts';
import type { CompletionFormat, ModelCompletionReply, ModelCompletionRequest } from './completion.ts';
import type { ModelEmbeddingsRequest } from './embeddings.ts';
import type { ModelCall, ModelStream } from './model-gateway.ts';

/** What a priced call will do, known before it is admitted: `amount` (microcredits) is the most it can cost. */
export interface Order {
  /** Empty of a call without a model. */
  readonly model: string;
  /** What it is charged as, where that depends on the request. */
  readonly service?: ServiceName;
  readonly amount: number;
  /** Whether the response is streamed. */
  readonly stream?: boolean;
  /** The call of the model, where it can be made ready while the admission is waited for. */
  readonly call?: Preparable;
  /** Where `amount` is a bound: the order at no more than a budget (microcredits); undefined if there is none. */
  readonly within?: (budget: number) => Promise<Order | undefined>;
}

export interface Preparable {
  /** Does what can be done before it is needed, in a moment that nobody waits for. What it throws is thrown again when it is needed. */
  prepare(): void;
}

/** An order with the request that its model is to be sent. */
interface ModelOrder<Request> extends Order {
  readonly request: Request;
}

/** An order of text, and how the response is to look. */
interface TextOrder<Request, Format> extends ModelOrder<Request> {
  readonly format: Format;
}

/** The call of a model that responds when all is generated. */
export interface WholeCall<Reply> {
  readonly stream: false;
  readonly call: ModelCall<Promise<Reply>>;
}

/** The call of a model that streams. */
export interface StreamedCall {
  readonly stream: true;
  readonly call: ModelCall<ModelStream>;
}

type ChatParts<Body> = TextOrder<ModelChatRequest, ChatFormat<Body>> & {
  /** Names of the functions that the model may call. */
  readonly offered: ReadonlySet<string>;
};
export type WholeChatOrder<Body> = ChatParts<Body> & WholeCall<ModelChatReply>;
export type StreamedChatOrder = ChatParts<unknown> & StreamedCall;
export type ChatOrder<Body> = ChatParts<Body> & (WholeCall<ModelChatReply> | StreamedCall);

type CompletionParts<Body> = TextOrder<ModelCompletionRequest, CompletionFormat<Body>>;
export type WholeCompletionOrder<Body> = CompletionParts<Body> & WholeCall<ModelCompletionReply>;
export type StreamedCompletionOrder = CompletionParts<unknown> & StreamedCall;
export type CompletionOrder<Body> = CompletionParts<Body> & (WholeCall<ModelCompletionReply> | StreamedCall);

export type EmbeddingsOrder = ModelOrder<ModelEmbeddingsRequest> & { readonly input: EmbeddingsRequest };

/** How a caller wants tokens to be chosen; what is null or absent is left to the model. */
export interface Sampling {
  readonly temperature: number;
  readonly top_p: number;
  readonly top_k: number;
  readonly frequency_penalty: number;
  readonly presence_penalty: number;
  readonly stop?: string | readonly string[] | null | undefined;
  readonly seed?: number | null | undefined;
}

/** How a container is to choose its tokens, the same for chat and completions; `stop` always as a list. */
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

/** Throws unless the caller's credential is valid. Counting costs more than reading a request, so it comes after that. */
export type Proof = () => Promise<void>;

/** How many tokens texts have together. They are counted only when that must be known, no further than needed, and once. */
export class TokenCount {
  readonly #texts: readonly string[];
  readonly #tokenizer: Tokenizer;
  #counted: { readonly tokens: number; readonly limit: number } | undefined;

  constructor(texts: readonly string[], tokenizer: Tokenizer) {
    this.#texts = texts;
    this.#tokenizer = tokenizer;
  }

  /**
   * An upper bound. A text of n UTF-8 bytes is at most n tokens: where the bytes are no more than `enough`, they are given, for
   * which nothing needs to be counted or proved. Otherwise as `upTo`.
   */
  async bound(enough: number, limit: number, prove: Proof): Promise<number> {
    const bytes = this.#texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes <= enough) return bytes;
    await prove();
    return this.upTo(limit);
  }

  /** The number of tokens; where that is over `limit`, as many as were counted until it was. */
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

/** Tokens that a model may add to a text, such as those for its beginning and its end. */
const maxSpecialTokens = 8;

/** The most tokens that a model can make of texts: a text of n UTF-8 bytes is at most n. */
export const maxTokensOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + maxSpecialTokens, 0);

export async function countTokens(texts: readonly string[], tokenizer: Tokenizer): Promise<number> {
  return new TokenCount(texts, tokenizer).upTo(Number.POSITIVE_INFINITY);
}
