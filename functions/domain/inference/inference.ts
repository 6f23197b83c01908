import { findModel } from '#contract/inference/models.ts';
import type { EmbeddingList } from '#contract/inference/requests.ts';
import type { Refusal } from '#contract/shared/errors.ts';
import type { Clock, TokenEncoding } from '../shared/ports.ts';
import {
  againDifferently,
  type ResponseMetadata,
  chatChunks,
  type ChatFormat,
  type ChatReply,
  chatReply,
  furtherInput,
  mismatchOf,
  type ModelChatReply,
  type OutputRoom,
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
import { type EmbeddingsInput, toEmbeddingList, toModelEmbeddings } from './embeddings.ts';
import { billable, DeliveredText, isPossibleCount, type ModelUsage, type UsageBounds } from './model-stream.ts';
import {
  type ModelGateway,
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
import { mismatchError, outputCheck, type OutputCheck } from './output-rule.ts';
import { StreamedResponse } from './streamed-response.ts';
import { type Tariff, tariffOf } from './tariff.ts';

/** `cost` in microcredits. */
export interface Priced<Body> {
  readonly body: Body;
  readonly cost: number;
  readonly usage: ModelUsage;
}

export type Inference = ReturnType<typeof inference>;

/** Without a tariff, the call is free or charged elsewhere. */
export type EmbeddingCall = Pick<EmbeddingsOrder, 'request' | 'input'> & Partial<Pick<EmbeddingsOrder, 'tariff'>>;

const anySignal = (one: AbortSignal, other: AbortSignal | undefined): AbortSignal =>
  other ? AbortSignal.any([one, other]) : one;
type CountedChat = Pick<ChatOrder<unknown>, 'request' | 'countPrompt'> & {
  readonly format: Pick<ChatFormat<unknown>, 'openingChunks'>;
};

const noTokens: ModelUsage = { prompt_tokens: 0, completion_tokens: 0 };

/** `newDeadline`: the deadline of a whole reply that may be requested twice. */
export function inference(
  gateway: ModelGateway,
  tokenizer: TokenEncoding,
  clock: Clock,
  newDeadline?: () => AbortSignal,
) {
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

  /** A format that reports the prompt's tokens at the start is charged for the same number. */
  function countedChat({ request, format, countPrompt }: CountedChat) {
    const { messages, tools, max_tokens } = request;
    const counted = () => tokenizer.count(JSON.stringify(messages) + (tools ? JSON.stringify(tools) : ''));
    return countedUsage(format.openingChunks ? countPrompt : counted, max_tokens, tokenizer);
  }
  const countedCompletion = ({ prompt, max_tokens }: ModelCompletionRequest) =>
    countedUsage(() => tokenizer.count(prompt), max_tokens, tokenizer);

  async function orderChat<Body>(
    conversation: Conversation,
    format: ChatFormat<Body>,
    prove: Proof,
  ): Promise<ChatOrder<Body>> {
    const check = conversation.output && (await outputCheck(conversation.output, prove));
    const tariff = tariffOf(conversation.model, 'chat', clock.now());
    const needsCount = tariff.isByTokens || (conversation.stream && format.openingChunks !== undefined);
    const room = await outputRoom(conversation, tokenizer, prove, !needsCount);
    const { maxTokens } = room;
    const further = furtherInput(conversation);
    const promptTokens = room.promptTokens + Buffer.byteLength(further);
    const order = orderChatWithin(conversation, format, tariff, { ...room, promptTokens }, check);
    if (!tariff.isByTokens) return order;
    const count = async () => (await room.count()) + (await tokenizer.count(further));
    const isChosen = conversation.maxTokens !== undefined;
    async function within(budget: number): Promise<ChatOrder<Body> | undefined> {
      const tokens = await count();
      const affordable = tariff.outputWithin(budget, tokens);
      if (maxTokens <= affordable) return { ...order, amount: tariff.max(tokens, maxTokens) };
      if (isChosen || affordable < Math.min(tariff.minOutput, maxTokens)) return undefined;
      const reduced = { ...room, maxTokens: affordable, promptTokens: tokens };
      return orderChatWithin(conversation, format, tariff, reduced, check);
    }
    const affordableOutput = async (budget: number) => Math.max(0, tariff.outputWithin(budget, await count()));
    return { ...order, within, affordableOutput };
  }

  /** Requires that the conversation and `maxTokens` of output fit into the context. */
  function orderChatWithin<Body>(
    conversation: Conversation,
    format: ChatFormat<Body>,
    tariff: Tariff,
    { maxTokens, promptTokens, count: countPrompt }: OutputRoom,
    check?: OutputCheck,
  ): ChatOrder<Body> {
    const request = toModelRequest(conversation, maxTokens);
    const { model, stream } = conversation;
    const offered = new Set([...conversation.functions.map(({ name }) => name), ...(conversation.suppressed ?? [])]);
    const amount = tariff.max(promptTokens, maxTokens);
    const { toolsLeftOut } = conversation;
    const shared = { model, format, amount, tariff, price: tariff.price, request, offered };
    const order = { ...shared, countPrompt, check, toolsLeftOut };
    return stream
      ? { ...order, stream, call: gateway.chatStream(model, request) }
      : { ...order, stream, call: gateway.chat(model, request) };
  }

  /**
   * `requestId` becomes part of the response's id. A reply that does not fit is requested once more, within the same
   * deadline. Only the delivered reply is charged.
   */
  async function chat<Body>(
    order: WholeChatOrder<Body>,
    requestId: string,
    signal?: AbortSignal,
  ): Promise<Priced<Body>> {
    const { model, request, format, tariff, call, check } = order;
    const deadline = check && newDeadline ? anySignal(newDeadline(), signal) : signal;
    const named = about('chatcmpl', requestId, model);
    let reply = await readChat(order, await call.send(deadline), named);
    let mismatch = mismatchOf(reply, check);
    if (mismatch && !mismatch.isUnchecked) {
      reply = await readChat(order, await gateway.chat(model, againDifferently(request)).send(deadline), named);
      mismatch = mismatchOf(reply, check);
    }
    if (mismatch) throw mismatchError(mismatch);
    return { body: format.body(reply, named), cost: tariff.cost(reply.usage), usage: reply.usage };
  }

  async function readChat(
    order: WholeChatOrder<unknown>,
    reply: ModelChatReply,
    named: ResponseMetadata,
  ): Promise<ChatReply> {
    const { format, offered } = order;
    const message = reply.choices[0]?.message;
    const bounds = chatBounds(order, Boolean(message?.content || message?.reasoning || message?.tool_calls?.length));
    const usage = await billable(reply.usage, bounds, () => countedChat(order)(JSON.stringify(message)));
    return chatReply(reply, usage, named, { maxCalls: format.maxCalls, offered });
  }

  /** Charged once content was delivered. By tokens, an interrupted stream costs its prompt and the delivered text. */
  function streamChat(order: StreamedChatOrder, requestId: string): StreamedResponse {
    const { model, request, format, tariff, call } = order;
    const counted = countedChat(order);
    const { chunks: modelChunks, cancel } = call.send();
    const delivered = new DeliveredText(request.max_tokens, tokenizer);
    let used: ModelUsage | undefined;
    let charged: ModelUsage | undefined;
    const onUsage = async (usage: ModelUsage | null | undefined) => {
      const bounds = chatBounds(order, delivered.text !== '');
      used = await billable(usage, bounds, () => counted(delivered.text));
      return used;
    };
    const named = about('chatcmpl', requestId, model);
    const { offered, countPrompt, check } = order;
    const chunks = chatChunks({
      chunks: modelChunks,
      format,
      offered,
      check,
      about: named,
      delivered,
      countPrompt,
      onUsage,
    });
    const failureChunks = format.failureChunks && ((refusal: Refusal) => format.failureChunks?.(refusal, named) ?? []);
    async function cost(isWhole: boolean): Promise<number> {
      if (!isWhole && delivered.text === '') return 0;
      charged = used ?? (tariff.isByTokens ? await counted(delivered.text) : undefined);
      return tariff.cost(charged ?? noTokens);
    }
    return new StreamedResponse(chunks, cost, cancel, () => used ?? charged, { failureChunks });
  }

  async function orderCompletion<Body>(
    prompt: Prompt,
    format: CompletionFormat<Body>,
    prove: Proof,
  ): Promise<CompletionOrder<Body>> {
    const { body, promptTokens, count } = await toModelCompletion(prompt, tokenizer, prove);
    const { model, stream } = prompt;
    const tariff = tariffOf(model, 'completion', clock.now());
    const amount = tariff.max(promptTokens, body.max_tokens);
    const order = { model, format, amount, tariff, price: tariff.price, request: body, ...callOf(body) };
    function callOf(request: ModelCompletionRequest): WholeCall<ModelCompletionReply> | StreamedCall {
      return stream
        ? { stream, call: gateway.completionStream(model, request) }
        : { stream, call: gateway.completion(model, request) };
    }
    /** Reduces the output to the budget. If all of it fits, the prepared call is reused. */
    async function within(budget: number): Promise<CompletionOrder<Body> | undefined> {
      const tokens = await count.upTo(tariff.inputWithin(budget));
      const room = tariff.outputWithin(budget, tokens);
      if (room <= 0) return undefined;
      if (body.max_tokens <= room) return { ...order, amount: tariff.max(tokens, body.max_tokens) };
      if (room < Math.min(tariff.minOutput, body.max_tokens)) return undefined;
      const request = { ...body, max_tokens: room };
      return { ...order, amount: tariff.max(tokens, room), request, ...callOf(request) };
    }
    async function affordableOutput(budget: number): Promise<number> {
      return Math.max(0, tariff.outputWithin(budget, await count.upTo(tariff.inputWithin(budget))));
    }
    return { ...order, within, affordableOutput };
  }

  async function complete<Body>(
    order: WholeCompletionOrder<Body>,
    requestId: string,
    signal?: AbortSignal,
  ): Promise<Priced<Body>> {
    const { model, request, format, tariff, call } = order;
    const reply = await call.send(signal);
    const text = reply.choices[0]?.text ?? '';
    const bounds = completionBounds(request, text !== '');
    const usage = await billable(reply.usage, bounds, () => countedCompletion(request)(text));
    const body = format.body(completionReply(reply, usage), about('cmpl', requestId, model), request.prompt);
    return { body, cost: tariff.cost(usage), usage };
  }

  /** Charges a complete stream by the model's report, and an interrupted one for its prompt and the delivered text. */
  function streamCompletion(order: StreamedCompletionOrder, requestId: string): StreamedResponse {
    const { model, request, format, tariff, call } = order;
    const { chunks: modelChunks, cancel } = call.send();
    const delivered = new DeliveredText(request.max_tokens, tokenizer);
    const bounds = () => completionBounds(request, delivered.text !== '');
    const counted = countedCompletion(request);
    const usedSoFar = (): Promise<ModelUsage> => billable(delivered.usage, bounds(), () => counted(delivered.text));
    let used: ModelUsage | undefined;
    let charged: ModelUsage | undefined;
    const onUsage = async (usage: ModelUsage | null | undefined) => {
      used = await billable(usage, bounds(), usedSoFar);
      return used;
    };
    async function cost(): Promise<number> {
      if (!used && delivered.text === '') return 0;
      charged = used ?? (await usedSoFar());
      return tariff.cost(charged);
    }
    const chunks = completionChunks({
      chunks: modelChunks,
      format,
      prompt: request.prompt,
      about: about('cmpl', requestId, model),
      delivered,
      onUsage,
    });
    return new StreamedResponse(chunks, cost, cancel, () => used ?? charged);
  }

  async function orderEmbeddings(input: EmbeddingsInput, prove: Proof): Promise<EmbeddingsOrder> {
    const { body, maxTokens, counts } = await toModelEmbeddings(input, tokenizer, prove);
    const tariff = tariffOf(input.model, 'embeddings', clock.now());
    const { price } = tariff;
    const order = { model: input.model, amount: tariff.max(maxTokens, 0), tariff, price, request: body, input };
    async function within(budget: number) {
      const affordable = tariff.inputWithin(budget);
      let tokens = 0;
      for (const count of counts) {
        tokens += await count.upTo(affordable - tokens);
        if (tokens > affordable) return undefined;
      }
      return { ...order, amount: tariff.max(tokens, 0) };
    }
    return { ...order, within };
  }

  async function embed({ request, input, tariff }: EmbeddingCall): Promise<Priced<EmbeddingList>> {
    const { model } = input;
    const reply = await gateway.embed(model, request);
    const reported = reply.usage?.prompt_tokens ?? 0;
    const isUsable = isPossibleCount(reported, 1, maxTokensOf(request.input));
    const prompt_tokens = isUsable ? reported : await countTokens(request.input, tokenizer);
    const usage = { prompt_tokens, completion_tokens: 0 };
    const embedded = { texts: request.input.length, tokens: prompt_tokens };
    return { body: toEmbeddingList(reply, embedded, input), cost: tariff?.cost(usage) ?? 0, usage };
  }

  return {
    about,
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
