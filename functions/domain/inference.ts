import type {
  ChatCompletion,
  ChatRequest,
  Completion,
  CompletionRequest,
  EmbeddingList,
  EmbeddingsRequest,
} from '#contract/inference.ts';
import {
  chatChunks,
  type ModelChatReply,
  type ModelChatRequest,
  outputRoom,
  toChatCompletion,
  toModelRequest,
} from './chat.ts';
import {
  completionChunks,
  countedUsage,
  type ModelCompletionReply,
  type ModelCompletionRequest,
  toCompletion,
  toModelCompletion,
} from './completion.ts';
import { type ModelEmbeddings, type ModelEmbeddingsRequest, toEmbeddingList, toModelEmbeddings } from './embeddings.ts';
import { begun, billable, type ModelChunk, type ModelUsage, type StreamedAnswer } from './model-stream.ts';
import type { Clock, Tokenizer } from './ports.ts';
import { fixedPrice, tokenPrice } from './pricing.ts';

/** The models behind the service. Failures are ServiceErrors: MODEL_ERROR, MODEL_TIMEOUT, SERVICE_UNAVAILABLE. */
export interface ModelGateway {
  /** `signal` ends the wait earlier than the gateway's own deadline; that is a MODEL_TIMEOUT too. */
  chat(model: string, request: ModelChatRequest, signal?: AbortSignal): Promise<ModelChatReply>;
  complete(model: string, request: ModelCompletionRequest): Promise<ModelCompletionReply>;
  embed(model: string, request: ModelEmbeddingsRequest): Promise<ModelEmbeddings>;
  /** The chunks of a chat or completion as the model makes them; `signal` ends its work. */
  stream(
    model: string,
    request: ModelChatRequest | ModelCompletionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelChunk>;
}

/** A call ready to be admitted and sent: `amount` (microcredits) is the most it can cost. */
interface ModelOrder<Request> {
  readonly model: string;
  readonly amount: number;
  readonly request: Request;
}

export type ChatOrder = ModelOrder<ModelChatRequest> & { readonly stream: boolean };
export type CompletionOrder = ModelOrder<ModelCompletionRequest> & { readonly stream: boolean };
export type EmbeddingsOrder = ModelOrder<ModelEmbeddingsRequest> & { readonly asked: EmbeddingsRequest };

/** An answer and what it came to, in microcredits. */
export interface Priced<Answer> {
  readonly answer: Answer;
  readonly cost: number;
}

export function inference(gateway: ModelGateway, tokenizer: Tokenizer, clock: Clock) {
  const about = (kind: string, requestId: string, model: string) => ({
    id: `${kind}-${requestId}`,
    created: Math.floor(clock.now() / 1000),
    model,
  });

  /** Refuses (400) a conversation that its model's context cannot hold. */
  async function orderChat(request: ChatRequest): Promise<ChatOrder> {
    const maxTokens = await outputRoom(request, tokenizer);
    const { model, stream } = request;
    return { model, stream, amount: fixedPrice('chat'), request: toModelRequest(request, maxTokens) };
  }

  /** `requestId` becomes part of the answer's id. */
  async function chat({ model, request }: ChatOrder, requestId: string): Promise<ChatCompletion> {
    const reply = await gateway.chat(model, request);
    const text = () => JSON.stringify(reply.choices[0]?.message);
    const usage = await billable(reply.usage, () => countedUsage(JSON.stringify(request.messages), text(), tokenizer));
    return toChatCompletion(reply, usage, about('chatcmpl', requestId, model));
  }

  /** Charged once any content was delivered. */
  function streamChat({ model, request, amount }: ChatOrder, requestId: string): Promise<StreamedAnswer> {
    const { signal, cancel } = cancellation();
    let text = '';
    const onUsage = (usage: ModelUsage | null | undefined) =>
      billable(usage, () => countedUsage(JSON.stringify(request.messages), text, tokenizer));
    const onContent = (content: string) => {
      text += content;
    };
    let isWhole = false;
    async function* chunks() {
      yield* chatChunks(
        gateway.stream(model, request, signal),
        about('chatcmpl', requestId, model),
        onContent,
        onUsage,
      );
      isWhole = true;
    }
    return begun(chunks(), async () => (isWhole || text !== '' ? amount : 0), cancel);
  }

  async function orderCompletion(request: CompletionRequest): Promise<CompletionOrder> {
    const { body, mostTokens } = await toModelCompletion(request, tokenizer);
    const { model, stream } = request;
    return { model, stream, amount: tokenPrice('completion', mostTokens), request: body };
  }

  async function complete({ model, request }: CompletionOrder, requestId: string): Promise<Priced<Completion>> {
    const reply = await gateway.complete(model, request);
    const usage = await billable(reply.usage, () =>
      countedUsage(request.prompt, reply.choices[0]?.text ?? '', tokenizer),
    );
    const cost = tokenPrice('completion', usage.prompt_tokens + usage.completion_tokens);
    return { answer: toCompletion(reply, usage, about('cmpl', requestId, model)), cost };
  }

  /** A stream that is cut short is charged for what was delivered; a whole one for what the model says it used. */
  function streamCompletion({ model, request }: CompletionOrder, requestId: string): Promise<StreamedAnswer> {
    const { signal, cancel } = cancellation();
    let text = '';
    let used: ModelUsage | undefined;
    const onUsage = async (usage: ModelUsage | null | undefined) => {
      used = await billable(usage, () => countedUsage(request.prompt, text, tokenizer));
      return used;
    };
    const onText = (piece: string) => {
      text += piece;
    };
    const cost = async () =>
      tokenPrice('completion', used ? used.prompt_tokens + used.completion_tokens : await tokenizer.count(text));
    const { id } = about('cmpl', requestId, model);
    return begun(completionChunks(gateway.stream(model, request, signal), id, onText, onUsage), cost, cancel);
  }

  async function orderEmbeddings(asked: EmbeddingsRequest): Promise<EmbeddingsOrder> {
    const { body, mostTokens } = await toModelEmbeddings(asked, tokenizer);
    return { model: asked.model, amount: tokenPrice('embeddings', mostTokens), request: body, asked };
  }

  async function embed({ model, request, asked }: EmbeddingsOrder): Promise<Priced<EmbeddingList>> {
    const reply = await gateway.embed(model, request);
    const counted = async () => ({
      prompt_tokens: await tokenizer.count(request.input.join('\n')),
      completion_tokens: 0,
    });
    const { prompt_tokens } = await billable(reply.usage && { ...reply.usage, completion_tokens: 0 }, counted);
    return { answer: toEmbeddingList(reply, prompt_tokens, asked), cost: tokenPrice('embeddings', prompt_tokens) };
  }

  return { orderChat, chat, streamChat, orderCompletion, complete, streamCompletion, orderEmbeddings, embed };
}

function cancellation(): { signal: AbortSignal; cancel: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, cancel: () => controller.abort() };
}
