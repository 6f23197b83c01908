import type { NewMessage, Turn } from '#contract/agents/conversations.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { findModel } from '#contract/inference/models.ts';
import { limits } from '#contract/shared/limits.ts';
import type { ChatReply } from '../../inference/chat-response.ts';
import type { Inference } from '../../inference/inference.ts';
import type { ModelGateway } from '../../inference/model-gateway.ts';
import { type ModelUsage, totalled } from '../../inference/model-stream.ts';
import type { Order } from '../../inference/order.ts';
import { StreamedResponse } from '../../inference/streamed-response.ts';
import type { Proof } from '../../inference/tokens.ts';
import { fixedPrice } from '../../meter/pricing.ts';
import type { Clock, Tokenizer } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import type { Agent } from '../agent.ts';
import { missing } from '../agent-service.ts';
import type { AgentStore } from '../agent-store.ts';
import { type Conversation, isLocked, type Message, messageId } from '../conversations/conversation.ts';
import { dayMs } from '../conversations/conversation-service.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import { embeddingModel } from '../documents/document-service.ts';
import type { Passage, VectorIndex } from '../documents/vector-index.ts';
import { type ChosenContext, contextPlan } from './context.ts';
import { modelConversation, tokensOf } from './prompt.ts';
import { summarized } from './summary.ts';
import { turnFormat } from './turn-format.ts';

/** A message to an agent whose conversation was read and may take it. */
export interface TurnOrder extends Order {
  readonly stream: boolean;
  readonly agent: Agent;
  readonly conversation: Conversation;
  /** Oldest first. */
  readonly recent: readonly Message[];
  readonly message: NewMessage;
}

export interface TurnParts {
  readonly agents: Pick<AgentStore, 'find'>;
  readonly conversations: ConversationStore;
  readonly vectors: Pick<VectorIndex, 'search'>;
  readonly inference: Pick<Inference, 'orderChatWithin' | 'chat' | 'streamChat'>;
  /** Models that are called before the reply, with less time. */
  readonly preparing: { readonly gateway: Pick<ModelGateway, 'chat'>; readonly embed: Inference['embed'] };
  readonly tokenizer: Tokenizer;
  readonly clock: Clock;
  /** Ms after which the function of a turn has ended, however it did. */
  readonly functionMs: number;
}

/** Passages that a turn gets at most; UTF-16 units of a message that they are searched by. */
const maxPassages = 4;
const maxQuery = 2000;

/** UTF-8 bytes of a reply that are kept: an item of DynamoDB has 400 KB. */
const maxReplyBytes = 300_000;

type Path = { readonly id: string; readonly conversationId: string };
/** A turn that has the conversation, with what was put together for it. */
interface Begun {
  readonly conversation: Conversation;
  readonly fresh: readonly Message[];
  readonly context: ChosenContext;
  readonly earlierSent: number;
}

/** A message to an agent, and its reply (docs/agents.md#a-turn). */
export function turnService(parts: TurnParts) {
  const { agents, conversations, vectors, inference, preparing, tokenizer, clock, functionMs } = parts;

  /** Reads what is named; refuses (404, 409, 400) what is not there, is busy, or expects something else. Changes nothing. */
  async function open(accountId: number, { id, conversationId }: Path, message: NewMessage): Promise<TurnOrder> {
    const now = clock.now();
    const finding = agents.find({ accountId, id });
    const ref = { accountId, agentId: id, id: conversationId };
    const isEnough = async (read: readonly Message[]): Promise<boolean> =>
      read.reduce((sum, { tokens }) => sum + tokens, 0) >= windowOf((await finding)?.model);
    const [agent, found] = await Promise.all([finding, conversations.recent(ref, now, isEnough)]);
    if (!agent) return missing('agent');
    if (!found) return missing('conversation');
    const { conversation, recent } = found;
    if (isLocked(conversation, now)) throw inProgress();
    checkKind(conversation, message);
    const { model } = agent;
    return { model, amount: fixedPrice('chat'), stream: message.stream, agent, conversation, recent, message };
  }

  /** Refuses (400) a message that cannot fit, before anything else is done for it. Counts only what may not. */
  async function check(order: TurnOrder, prove: Proof): Promise<void> {
    const { agent, recent, message } = order;
    const { instructions, functions, maxTokens, truncation } = agent;
    const texts = instructions + JSON.stringify(functions) + JSON.stringify(message) + JSON.stringify(recent.at(-1));
    const window = windowOf(agent.model);
    const bound = 2 * Buffer.byteLength(texts) + (maxTokens ?? 1);
    if (truncation !== 'error' && bound <= window) return;
    await prove();
    await planOf(order, await freshMessages(order), []);
  }

  async function freshMessages({ agent, conversation, message }: TurnOrder): Promise<Message[]> {
    const now = clock.now();
    const about = { createdAt: now, expiresAt: now + agent.retentionDays * dayMs };
    const given: Pick<Message, 'role' | 'content' | 'name'>[] = message.functionResults
      ? message.functionResults.map(({ name, content }) => ({ role: 'function', name, content }))
      : [{ role: 'user', content: message.content ?? '' }];
    return Promise.all(
      given.map(async (one, index) => {
        return { place: conversation.next + index, ...one, tokens: await tokensOf(one, tokenizer), ...about };
      }),
    );
  }

  function planOf(
    { agent, conversation, recent, message }: TurnOrder,
    fresh: readonly Message[],
    passages: readonly Passage[],
  ) {
    const called = message.functionResults ? recent.slice(-1) : [];
    const earlier = recent.slice(0, recent.length - called.length);
    const { summary } = conversation;
    const required = [...called, ...fresh];
    return contextPlan({ agent, window: windowOf(agent.model), required, earlier, passages, summary }, tokenizer);
  }

  /** Takes the conversation, and puts together what the model is sent. */
  async function begin(order: TurnOrder, token: string): Promise<Begun> {
    const now = clock.now();
    const conversation = { ...order.conversation, lock: { token, until: now + functionMs } };
    if (!(await conversations.lock(conversation, now))) throw inProgress();
    return freeing(conversation, async () => {
      const fresh = await freshMessages(order);
      const plan = await planOf(order, fresh, await passagesFor(order));
      const old = await plan.toSummarize();
      const { summary: before } = conversation;
      const summary = old.length === 0 ? before : await summarized(preparing.gateway, order.model, before, old);
      const context = await plan.context(summary ?? before);
      const required = fresh.length + (order.message.functionResults ? 1 : 0);
      const earlierSent = context.messages.length - required;
      return { conversation: { ...conversation, summary: summary ?? before }, fresh, context, earlierSent };
    });
  }

  /** Of the agent's documents, for the message or the last before it that was no function's result. */
  async function passagesFor({ agent, message, recent }: TurnOrder): Promise<readonly Passage[]> {
    if (agent.chunks === 0) return [];
    const text = message.content ?? recent.findLast(({ role }) => role === 'user')?.content ?? '';
    const input = text.slice(0, maxQuery).toWellFormed();
    if (!/\S/.test(input)) return [];
    const request = { model: embeddingModel, input, encoding_format: 'float' } as const;
    const { body } = await preparing.embed({
      model: embeddingModel,
      amount: 0,
      request: { input: [input] },
      input: request,
    });
    const query = body.data[0]?.embedding;
    return typeof query === 'object' ? vectors.search(agent, query, maxPassages) : [];
  }

  /** The model's reply to what was put together, and what collects it. */
  function generation({ agent, stream }: TurnOrder, { context }: Begun) {
    const { system, messages, maxTokens } = context;
    const format = turnFormat();
    const conversation = modelConversation(agent, system, messages, stream);
    return { format, ordered: inference.orderChatWithin(conversation, format, maxTokens) };
  }

  /** Writes the turn. Refuses (404) where the conversation was deleted meanwhile, (502) a reply that cannot be kept. */
  async function keep(order: TurnOrder, begun: Begun, reply: ChatReply): Promise<Turn> {
    const { agent, conversation: before, amount } = order;
    const { conversation, fresh, context, earlierSent } = begun;
    const { content, call } = checkedReply(reply, agent);
    const now = clock.now();
    const next = before.next + fresh.length;
    const isSummarized = agent.truncation === 'summarize' && conversation.summary !== undefined;
    const reported = {
      window: windowOf(agent.model),
      used: context.used,
      droppedMessages: before.next - earlierSent - (order.message.functionResults ? 1 : 0),
      summarized:
        isSummarized && (context.system?.includes(JSON.stringify({ summary: conversation.summary?.text })) ?? false),
    };
    const sources = context.passages.map(({ documentId, name, start, end, score }) => {
      return { documentId, name, start, end, score: Math.round(score * 1e4) / 1e4 };
    });
    const expiresAt = now + agent.retentionDays * dayMs;
    const message: Message = {
      place: next,
      role: 'assistant',
      content,
      ...(call && { call }),
      tokens: await tokensOf({ content, call }, tokenizer),
      createdAt: now,
      expiresAt,
      ...(sources.length > 0 && { sources }),
      context: reported,
      agentVersion: agent.version,
    };
    const after: Conversation = {
      ...conversation,
      next: next + 1,
      updatedAt: now,
      expiresAt,
      calledFunction: call?.name,
    };
    if (!(await conversations.keep({ after, messages: [...fresh, message] }))) missing('conversation');
    return {
      id: messageId(next),
      message: { role: 'assistant', content, ...(call && { function_call: call }) },
      status: call ? 'requires_action' : 'completed',
      sources,
      context: reported,
      credits: amount / microPerCredit,
      usage: totalled(reply.usage),
    };
  }

  /** Gives the conversation back where something fails; where even that does, its deadline does. */
  async function freeing<T>(conversation: Conversation, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await conversations.unlock(conversation).catch(() => undefined);
      throw error;
    }
  }

  /** `token` names the turn. */
  async function take(order: TurnOrder, token: string): Promise<Turn> {
    const begun = await begin(order, token);
    return freeing(begun.conversation, async () => {
      const { ordered } = generation(order, begun);
      if (ordered.stream) throw new Error('a turn that is not streamed has a whole reply');
      return keep(order, begun, await inference.chat(ordered, token));
    });
  }

  /**
   * Streams the reply, and last what the turn came to. It is kept when it is whole, also where its reader has left; only then it is charged, or where
   * it was cancelled after something was delivered.
   */
  async function stream(order: TurnOrder, token: string): Promise<StreamedResponse> {
    const begun = await begin(order, token);
    const { ordered, format } = generation(order, begun);
    if (!ordered.stream) throw new Error('a turn that is streamed has a streamed reply');
    const reply = inference.streamChat(ordered, token);
    const progress = { isKept: false, isCancelled: false, isDelivered: false };
    let used: ModelUsage | undefined;

    async function* chunks(): AsyncGenerator {
      const turn = yield* freeingAll();
      progress.isKept = true;
      const { message, ...rest } = turn;
      const { content: _, ...called } = message;
      yield { ...rest, message: called };
    }

    /** The pieces; gives the turn once it is kept. Whatever ends it before gives the conversation back. */
    async function* freeingAll(): AsyncGenerator<unknown, Turn> {
      let isFree = false;
      try {
        for (let next = await reply.next(); !next.done; next = await reply.next()) {
          progress.isDelivered = true;
          yield next.value;
        }
        const whole = format.collected();
        if (progress.isCancelled || !whole) throw new ServiceError('MODEL_ERROR', 'The reply was cut short.');
        used = whole.usage;
        const turn = await keep(order, begun, whole);
        isFree = true;
        return turn;
      } finally {
        if (!isFree) await conversations.unlock(begun.conversation).catch(() => undefined);
      }
    }

    const cost = async () => (progress.isKept || (progress.isCancelled && progress.isDelivered) ? order.amount : 0);
    const cancel = () => {
      progress.isCancelled = true;
      reply.cancel();
      // Nobody may take another piece, which would find that it was cancelled.
      void conversations.unlock(begun.conversation).catch(() => undefined);
    };
    return new StreamedResponse(chunks(), cost, cancel, () => used ?? reply.usage, 'finish');
  }

  return { open, check, take, stream };
}

const windowOf = (model = ''): number => findModel(model, 'chat')?.contextWindow ?? 0;

function inProgress(): ServiceError {
  const detail = 'The conversation is busy with a message; send the next one when its reply is there.';
  return new ServiceError('REQUEST_IN_PROGRESS', detail);
}

/** A message where one is expected, or the result of the very function that was called. */
function checkKind({ calledFunction: called, next }: Conversation, { functionResults: results }: NewMessage): void {
  if (next + 2 > limits.conversationMessages) {
    const detail = `A conversation may have ${limits.conversationMessages} messages; begin another.`;
    throw new ServiceError('INVALID_STATE', detail);
  }
  if (called === undefined && results)
    throw new ServiceError('INVALID_STATE', 'No function was called; functionResults are not expected.');
  if (called === undefined) return;
  if (!results)
    throw new ServiceError('INVALID_STATE', `The result of the function ${called} is expected, as functionResults.`);
  const wrong = results.findIndex(({ name }) => name !== called);
  if (wrong < 0) return;
  const path = `functionResults.${wrong}.name`;
  throw new ServiceError('INVALID_FORMAT', `${path} must be ${called}, the function that was called.`, {
    field: { path, isMissing: false },
  });
}

/** What can be kept and sent again: text, and a call of one of the agent's functions. */
function checkedReply({ content, calls: [called] }: ChatReply, { model, functions }: Agent) {
  const call = called && { name: called.name, arguments: called.arguments.toWellFormed() };
  const text = content.toWellFormed();
  if (call && !functions.some(({ name }) => name === call.name))
    throw new ServiceError('MODEL_ERROR', `The model ${model} called a function that the agent does not have.`);
  if (Buffer.byteLength(text) + Buffer.byteLength(call?.arguments ?? '') > maxReplyBytes)
    throw new ServiceError('MODEL_ERROR', `The model ${model} returned a reply that is too long to be kept.`);
  return { content: text, call };
}
