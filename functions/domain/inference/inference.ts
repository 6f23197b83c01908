import type { EmbeddingList, EmbeddingsRequest } from '#contract/inference/requests.ts';
import { fixedPrice, tokenPrice } from '../meter/pricing.ts';
import type { Clock, Tokenizer } from '../shared/ports.ts';
import { type ModelChatReply, type ModelChatRequest, outputRoom, toModelRequest } from './chat.ts';
import { type About, type ChatFormat, chatChunks, chatReply } from './chat-response.ts';
import {
  type CompletionFormat,
  completionChunks,
  completionReply,
  countedUsage,
  type ModelCompletionReply,
  type ModelCompletionRequest,
  type Prompt,
  toModelCompletion,
} from './completion.ts';
import type { Conversation } from './conversation.ts';
import { DeliveredText } from './delivered-text.ts';
import { type ModelEmbeddings, type ModelEmbeddingsRequest, toEmbeddingList, toModelEmbeddings } from './embeddings.ts';
import { billable, type ModelChunk, type ModelUsage, StreamedAnswer } from './model-stream.ts';
import { countTokens, type Proof } from './tokens.ts';

/** The models behind the service. Failures are ServiceErrors: MODEL_ERROR, MODEL_TIMEOUT, SERVICE_UNAVAILABLE. */
export interface ModelGateway {
  /**
   * Makes a text call ready that may come later with this same request, so that it need only be sent then. Nothing leaves.
   * Throws at once for a model that is not there, as the call will.
   */
  prepare(model: string, request: ModelChatRequest | ModelCompletionRequest, stream: boolean): void;
  /** `signal` ends the wait earlier than the gateway's own deadline; that is a MODEL_TIMEOUT too. */
  chat(model: string, request: ModelChatRequest, signal?: AbortSignal): Promise<ModelChatReply>;
  complete(model: string, request: ModelCompletionRequest): Promise<ModelCompletionReply>;
  embed(model: string, request: ModelEmbeddingsRequest): Promise<ModelEmbeddings>;
  /** A chat or completion as the model makes it. Throws at once for a model that is not there. */
  stream(model: string, request: ModelChatRequest | ModelCompletionRequest): ModelStream;
}

/** To be read at once: its time runs from the beginning. */
export interface ModelStream {
  readonly chunks: AsyncGenerator<ModelChunk>;
  /** Ends the model's work. */
  readonly cancel: () => void;
}

/** A call ready to be admitted and sent: `amount` (microcredits) is the most it can cost. */
interface ModelOrder<Request> {
  readonly model: string;
  readonly amount: number;
  readonly request: Request;
  /** Where `amount` is a bound: the order, with less output if need be, at no more than a budget; undefined if there is none. */
  readonly within?: (budget: number) => Promise<ModelOrder<Request> | undefined>;
  /** Makes the model's call ready, in a moment that nobody waits for. */
  readonly prepare?: () => void;
}

/** An order that says whether to stream the answer, and how it is to look. */
interface TextOrder<Request, Format> extends ModelOrder<Request> {
  readonly stream: boolean;
  readonly format: Format;
}

export type ChatOrder<Answer> = TextOrder<ModelChatRequest, ChatFormat<Answer>>;
export type CompletionOrder<Answer> = TextOrder<ModelCompletionRequest, CompletionFormat<Answer>>;
export type EmbeddingsOrder = ModelOrder<ModelEmbeddingsRequest> & { readonly asked: EmbeddingsRequest };

/** An answer and what it came to, in microcredits. */
export interface Priced<Answer> {
  readonly answer: Answer;
  readonly cost: number;
}

export function inference(gateway: ModelGateway, tokenizer: Tokenizer, clock: Clock) {
  const about = (kind: string, requestId: string, model: string): About => ({
    id: `${kind}-${requestId}`,
    created: Math.floor(clock.now() / 1000),
    model,
  });

  const countedChat = ({ messages, max_tokens }: ModelChatRequest, output: string): Promise<ModelUsage> =>
    countedUsage(JSON.stringify(messages), output, max_tokens, tokenizer);
  const countedCompletion = ({ prompt, max_tokens }: ModelCompletionRequest, output: string): Promise<ModelUsage> =>
    countedUsage(prompt, output, max_tokens, tokenizer);

  /** Refuses (400) a conversation that its model's context cannot hold. */
  async function orderChat<Answer>(
    conversation: Conversation,
    format: ChatFormat<Answer>,
    prove: Proof,
  ): Promise<ChatOrder<Answer>> {
    const request = toModelRequest(conversation, await outputRoom(conversation, tokenizer, prove));
    const { model, stream } = conversation;
    const prepare = () => gateway.prepare(model, request, stream);
    return { model, stream, format, amount: fixedPrice('chat'), request, prepare };
  }

  /** `requestId` becomes part of the answer's id. */
  async function chat<Answer>({ model, request, format }: ChatOrder<Answer>, requestId: string): Promise<Answer> {
    const reply = await gateway.chat(model, request);
    const text = () => JSON.stringify(reply.choices[0]?.message);
    const usage = await billable(reply.usage, () => countedChat(request, text()));
    const named = about('chatcmpl', requestId, model);
    return format.answer(chatReply(reply, usage, named, format.mostCalls), named);
  }

  /** Charged once any content was delivered. */
  function streamChat(order: ChatOrder<unknown>, requestId: string): StreamedAnswer {
    const { model, request, amount, format } = order;
    const { chunks: modelChunks, cancel } = gateway.stream(model, request);
    const delivered = new DeliveredText(request.max_tokens, tokenizer);
    const onUsage = (usage: ModelUsage | null | undefined) =>
      billable(usage, () => countedChat(request, delivered.text));
    const chunks = chatChunks({
      chunks: modelChunks,
      format,
      about: about('chatcmpl', requestId, model),
      delivered,
      onUsage,
    });
    return new StreamedAnswer(chunks, async (isWhole) => (isWhole || delivered.text !== '' ? amount : 0), cancel);
  }

  async function orderCompletion<Answer>(
    prompt: Prompt,
    format: CompletionFormat<Answer>,
    prove: Proof,
  ): Promise<CompletionOrder<Answer>> {
    const { body, maxTokens, count } = await toModelCompletion(prompt, tokenizer, prove);
    const { model, stream } = prompt;
    const prepare = () => gateway.prepare(model, body, stream);
    const order = { model, stream, format, amount: tokenPrice('completion', maxTokens), request: body, prepare };
    async function within(budget: number) {
      const affordable = Math.floor(budget / tokenPrice('completion', 1));
      const tokens = await count.upTo(affordable);
      const room = affordable - tokens;
      const max_tokens = Math.min(body.max_tokens, room);
      const amount = tokenPrice('completion', tokens + max_tokens);
      return room > 0 ? { ...order, amount, request: { ...body, max_tokens } } : undefined;
    }
    return { ...order, within };
  }

  async function complete<Answer>(order: CompletionOrder<Answer>, requestId: string): Promise<Priced<Answer>> {
    const { model, request, format } = order;
    const reply = await gateway.complete(model, request);
    const usage = await billable(reply.usage, () => countedCompletion(request, reply.choices[0]?.text ?? ''));
    const cost = tokenPrice('completion', usage.prompt_tokens + usage.completion_tokens);
    return { answer: format.answer(completionReply(reply, usage), about('cmpl', requestId, model)), cost };
  }

  /**
   * A whole stream is charged for what the model reports; one that is cut short for its prompt and what was delivered, as the
   * model has reported it by then or else by our count, and 0 when nothing was delivered.
   */
  function streamCompletion(order: CompletionOrder<unknown>, requestId: string): StreamedAnswer {
    const { model, request, format } = order;
    const { chunks: modelChunks, cancel } = gateway.stream(model, request);
    const delivered = new DeliveredText(request.max_tokens, tokenizer);
    async function usedSoFar(): Promise<ModelUsage> {
      const { prompt_tokens, completion_tokens } = await billable(delivered.usage, () =>
        countedCompletion(request, delivered.text),
      );
      return { prompt_tokens, completion_tokens: Math.min(completion_tokens, request.max_tokens) };
    }
    let used: ModelUsage | undefined;
    const onUsage = async (usage: ModelUsage | null | undefined) => {
      used = await billable(usage, usedSoFar);
      return used;
    };
    async function cost(): Promise<number> {
      if (!used && delivered.text === '') return 0;
      const { prompt_tokens, completion_tokens } = used ?? (await usedSoFar());
      return tokenPrice('completion', prompt_tokens + completion_tokens);
    }
    const chunks = completionChunks({
      chunks: modelChunks,
      format,
      about: about('cmpl', requestId, model),
      delivered,
      onUsage,
    });
    return new StreamedAnswer(chunks, cost, cancel);
  }

  async function orderEmbeddings(asked: EmbeddingsRequest, prove: Proof): Promise<EmbeddingsOrder> {
    const { body, maxTokens, counts } = await toModelEmbeddings(asked, tokenizer, prove);
    const order = { model: asked.model, amount: tokenPrice('embeddings', maxTokens), request: body, asked };
    async function within(budget: number) {
      const affordable = Math.floor(budget / tokenPrice('embeddings', 1));
      let tokens = 0;
      for (const count of counts) {
        tokens += await count.upTo(affordable - tokens);
        if (tokens > affordable) return undefined;
      }
      return { ...order, amount: tokenPrice('embeddings', tokens) };
    }
    return { ...order, within };
  }

  async function embed({ model, request, asked }: EmbeddingsOrder): Promise<Priced<EmbeddingList>> {
    const reply = await gateway.embed(model, request);
    const counted = async () => ({
      prompt_tokens: await countTokens(request.input, tokenizer),
      completion_tokens: 0,
    });
    const { prompt_tokens } = await billable(reply.usage && { ...reply.usage, completion_tokens: 0 }, counted);
    return { answer: toEmbeddingList(reply, prompt_tokens, asked), cost: tokenPrice('embeddings', prompt_tokens) };
  }

  return { orderChat, chat, streamChat, orderCompletion, complete, streamCompletion, orderEmbeddings, embed };
}
