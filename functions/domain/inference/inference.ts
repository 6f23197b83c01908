import { findModel } from '#contract/inference/models.ts';
import type { EmbeddingList, EmbeddingsRequest } from '#contract/inference/requests.ts';
import { fixedPrice, tokenPrice } from '../meter/pricing.ts';
import type { Clock, Tokenizer } from '../shared/ports.ts';
import {
  type ResponseMetadata,
  chatChunks,
  type ChatFormat,
  chatReply,
  type ModelChatRequest,
  outputRoom,
  toModelRequest,
} from './chat.ts';
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
import { toEmbeddingList, toModelEmbeddings } from './embeddings.ts';
import type { ModelGateway } from './model-gateway.ts';
import { billable, DeliveredText, isPossibleCount, type ModelUsage, type UsageBounds } from './model-stream.ts';
import {
  type ChatOrder,
  type CompletionOrder,
  countTokens,
  type EmbeddingsOrder,
  maxTokensOf,
  type Proof,
  type StreamedCall,
  type StreamedChatOrder,
  type StreamedCompletionOrder,
  type WholeCall,
  type WholeChatOrder,
  type WholeCompletionOrder,
} from './order.ts';
import { StreamedResponse } from './streamed-response.ts';

/** `cost` in microcredits. */
export interface Priced<Body> {
  readonly body: Body;
  readonly cost: number;
}

export type Inference = ReturnType<typeof inference>;

export function inference(gateway: ModelGateway, tokenizer: Tokenizer, clock: Clock) {
  const about = (kind: string, requestId: string, model: string): ResponseMetadata => ({
    id: `${kind}-${requestId}`,
    created: Math.floor(clock.now() / 1000),
    model,
  });

  const chatBounds = (
    { model, request }: Pick<ChatOrder<unknown>, 'model' | 'request'>,
    hasOutput: boolean,
  ): UsageBounds => ({
    // A chat template can add any number of tokens.
    promptTokens: findModel(model, 'chat')?.contextWindow ?? 0,
    completionTokens: request.max_tokens,
    hasOutput,
  });
  const completionBounds = ({ prompt, max_tokens }: ModelCompletionRequest, hasOutput: boolean): UsageBounds => ({
    promptTokens: maxTokensOf([prompt]),
    completionTokens: max_tokens,
    hasOutput,
  });

  const countedChat = ({ messages, max_tokens }: ModelChatRequest, output: string): Promise<ModelUsage> =>
    countedUsage(JSON.stringify(messages), output, max_tokens, tokenizer);
  const countedCompletion = ({ prompt, max_tokens }: ModelCompletionRequest, output: string): Promise<ModelUsage> =>
    countedUsage(prompt, output, max_tokens, tokenizer);

  async function orderChat<Body>(
    conversation: Conversation,
    format: ChatFormat<Body>,
    prove: Proof,
  ): Promise<ChatOrder<Body>> {
    return orderChatWithin(conversation, format, await outputRoom(conversation, tokenizer, prove));
  }

  /** Requires that the conversation and `maxTokens` of output fit into the context. */
  function orderChatWithin<Body>(
    conversation: Conversation,
    format: ChatFormat<Body>,
    maxTokens: number,
  ): ChatOrder<Body> {
    const request = toModelRequest(conversation, maxTokens);
    const { model, stream } = conversation;
    const offered = new Set(conversation.functions.map(({ name }) => name));
    const order = { model, format, amount: fixedPrice('chat'), request, offered };
    return stream
      ? { ...order, stream, call: gateway.chatStream(model, request) }
      : { ...order, stream, call: gateway.chat(model, request) };
  }

  /** `requestId` becomes part of the response's id. */
  async function chat<Body>(order: WholeChatOrder<Body>, requestId: string): Promise<Body> {
    const { model, request, format, call } = order;
    const reply = await call.send();
    const message = reply.choices[0]?.message;
    const bounds = chatBounds(order, Boolean(message?.content || message?.tool_calls?.length));
    const usage = await billable(reply.usage, bounds, () => countedChat(request, JSON.stringify(message)));
    const named = about('chatcmpl', requestId, model);
    return format.body(chatReply(reply, usage, named, { maxCalls: format.maxCalls, offered: order.offered }), named);
  }

  /** Charged once any content was delivered. */
  function streamChat(order: StreamedChatOrder, requestId: string): StreamedResponse {
    const { model, request, amount, format, call } = order;
    const { chunks: modelChunks, cancel } = call.send();
    const delivered = new DeliveredText(request.max_tokens, tokenizer);
    let used: ModelUsage | undefined;
    const onUsage = async (usage: ModelUsage | null | undefined) => {
      const bounds = chatBounds(order, delivered.text !== '');
      used = await billable(usage, bounds, () => countedChat(request, delivered.text));
      return used;
    };
    const chunks = chatChunks({
      chunks: modelChunks,
      format,
      offered: order.offered,
      about: about('chatcmpl', requestId, model),
      delivered,
      onUsage,
    });
    const cost = async (isWhole: boolean) => (isWhole || delivered.text !== '' ? amount : 0);
    return new StreamedResponse(chunks, cost, cancel, () => used ?? delivered.usage);
  }

  async function orderCompletion<Body>(
    prompt: Prompt,
    format: CompletionFormat<Body>,
    prove: Proof,
  ): Promise<CompletionOrder<Body>> {
    const { body, maxTokens, count } = await toModelCompletion(prompt, tokenizer, prove);
    const { model, stream } = prompt;
    const amount = tokenPrice('completion', maxTokens);
    const order = { model, format, amount, request: body, ...callOf(body) };
    function callOf(request: ModelCompletionRequest): WholeCall<ModelCompletionReply> | StreamedCall {
      return stream
        ? { stream, call: gateway.completionStream(model, request) }
        : { stream, call: gateway.completion(model, request) };
    }
    /** Reduces the output to the budget. If all of it fits, the prepared call is reused. */
    async function within(budget: number): Promise<CompletionOrder<Body> | undefined> {
      const affordable = Math.floor(budget / tokenPrice('completion', 1));
      const tokens = await count.upTo(affordable);
      const room = affordable - tokens;
      if (room <= 0) return undefined;
      if (body.max_tokens <= room) return { ...order, amount: tokenPrice('completion', tokens + body.max_tokens) };
      const request = { ...body, max_tokens: room };
      return { ...order, amount: tokenPrice('completion', affordable), request, ...callOf(request) };
    }
    return { ...order, within };
  }

  async function complete<Body>(order: WholeCompletionOrder<Body>, requestId: string): Promise<Priced<Body>> {
    const { model, request, format, call } = order;
    const reply = await call.send();
    const text = reply.choices[0]?.text ?? '';
    const bounds = completionBounds(request, text !== '');
    const usage = await billable(reply.usage, bounds, () => countedCompletion(request, text));
    const cost = tokenPrice('completion', usage.prompt_tokens + usage.completion_tokens);
    return { body: format.body(completionReply(reply, usage), about('cmpl', requestId, model)), cost };
  }

  /** Charges a complete stream by the model's report, and an interrupted one for its prompt and the delivered text. */
  function streamCompletion(order: StreamedCompletionOrder, requestId: string): StreamedResponse {
    const { model, request, format, call } = order;
    const { chunks: modelChunks, cancel } = call.send();
    const delivered = new DeliveredText(request.max_tokens, tokenizer);
    const bounds = () => completionBounds(request, delivered.text !== '');
    const usedSoFar = (): Promise<ModelUsage> =>
      billable(delivered.usage, bounds(), () => countedCompletion(request, delivered.text));
    let used: ModelUsage | undefined;
    let charged: ModelUsage | undefined;
    const onUsage = async (usage: ModelUsage | null | undefined) => {
      used = await billable(usage, bounds(), usedSoFar);
      return used;
    };
    async function cost(): Promise<number> {
      if (!used && delivered.text === '') return 0;
      charged = used ?? (await usedSoFar());
      const { prompt_tokens, completion_tokens } = charged;
      return tokenPrice('completion', prompt_tokens + completion_tokens);
    }
    const chunks = completionChunks({
      chunks: modelChunks,
      format,
      about: about('cmpl', requestId, model),
      delivered,
      onUsage,
    });
    return new StreamedResponse(chunks, cost, cancel, () => charged);
  }

  async function orderEmbeddings(input: EmbeddingsRequest, prove: Proof): Promise<EmbeddingsOrder> {
    const { body, maxTokens, counts } = await toModelEmbeddings(input, tokenizer, prove);
    const order = { model: input.model, amount: tokenPrice('embeddings', maxTokens), request: body, input };
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

  async function embed({ model, request, input }: EmbeddingsOrder): Promise<Priced<EmbeddingList>> {
    const reply = await gateway.embed(model, request);
    const reported = reply.usage?.prompt_tokens ?? 0;
    const isUsable = isPossibleCount(reported, 1, maxTokensOf(request.input));
    const prompt_tokens = isUsable ? reported : await countTokens(request.input, tokenizer);
    return { body: toEmbeddingList(reply, prompt_tokens, input), cost: tokenPrice('embeddings', prompt_tokens) };
  }

  return {
    orderChat,
    orderChatWithin,
    chat,
    streamChat,
    orderCompletion,
    complete,
    streamCompletion,
    orderEmbeddings,
    embed,
  };
}
