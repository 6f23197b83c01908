import type { NewMessage, Turn } from '#contract/agents/conversations.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { dayMs } from '#contract/shared/time.ts';
import type { ChatFormat, ChatReply } from '../inference/chat.ts';
import type { Inference } from '../inference/inference.ts';
import { type ModelUsage, totalled } from '../inference/model-stream.ts';
import type { ModelGateway, Proof } from '../inference/order.ts';
import { functionDelta } from '../inference/specified-chat.ts';
import { StreamedResponse } from '../inference/streamed-response.ts';
import type { Clock, Tokenizer } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { throwNotFound } from './agent.ts';
import { type ChosenContext, contextPlan, modelConversation, sentContent, summarized, tokensOf } from './context.ts';
import { type Conversation, type ConversationStore, type Message, messageId } from './conversation.ts';
import { inProgress, type OpeningParts, passageSearch, turnOpening, type TurnOrder, windowOf } from './turn-order.ts';
import type { Passage, VectorIndex } from './vector-index.ts';

export interface TurnParts extends OpeningParts, PreparationParts {
  readonly conversations: ConversationStore;
  readonly inference: Pick<Inference, 'orderChatWithin' | 'chat' | 'streamChat'>;
}

export interface TakenTurn {
  readonly turn: Turn;
  /** Microcredits. */
  readonly cost: number;
  readonly usage: ModelUsage;
}

export function turnService(parts: TurnParts) {
  const { conversations, inference } = parts;
  const { check, begin } = turnPreparation(parts);
  const keep = turnRecord(parts);

  function generation({ agent, stream, tariff }: TurnOrder, { context }: BegunTurn) {
    const { system, messages, maxTokens, used } = context;
    const format = turnFormat();
    const conversation = modelConversation(agent, system, messages, stream);
    const room = { maxTokens, promptTokens: used, count: async () => used };
    return {
      format,
      ordered: inference.orderChatWithin(conversation, format, tariff, room),
    };
  }

  async function take(order: TurnOrder, token: string): Promise<TakenTurn> {
    const begun = await begin(order, token);
    return freeing(conversations, begun.conversation, async () => {
      const { ordered } = generation(order, begun);
      if (ordered.stream) throw new Error('a turn that is not streamed has a whole reply');
      const { body, cost, usage } = await inference.chat(ordered, token);
      return { turn: await keep(order, begun, body, cost), cost, usage };
    });
  }

  async function stream(order: TurnOrder, token: string): Promise<StreamedResponse> {
    const begun = await begin(order, token);
    const { ordered, format } = generation(order, begun);
    if (!ordered.stream) throw new Error('a turn that is streamed has a streamed reply');
    return streamedTurn({
      reply: inference.streamChat(ordered, token),
      collected: format.collected,
      keep: (reply) => keep(order, begun, reply, order.tariff.cost(reply.usage)),
      free: () => conversations.unlock(begun.conversation).catch(() => undefined),
    });
  }

  return { ...turnOpening(parts), check, take, stream };
}

export interface BegunTurn {
  readonly conversation: Conversation;
  readonly fresh: readonly Message[];
  readonly context: ChosenContext;
  readonly earlierSent: number;
}

export interface PreparationParts {
  readonly conversations: Pick<ConversationStore, 'lock' | 'unlock'>;
  readonly vectors: Pick<VectorIndex, 'search'>;
  readonly preparing: { readonly gateway: Pick<ModelGateway, 'chat'>; readonly embed: Inference['embed'] };
  readonly tokenizer: Tokenizer;
  readonly clock: Clock;
  /** Milliseconds after which the turn's function has certainly ended. */
  readonly functionMs: number;
}

function turnPreparation(parts: PreparationParts) {
  const { conversations, vectors, preparing, tokenizer, clock, functionMs } = parts;
  const passagesFor = passageSearch(preparing.embed, vectors);

  async function check(order: TurnOrder, prove: Proof): Promise<void> {
    const { agent, recent, message } = order;
    const { instructions, functions, maxTokens, truncation } = agent;
    const parts = [functions, message, givenMessages(message).map(sentContent), recent.at(-1)];
    const texts = instructions + parts.map((part) => JSON.stringify(part)).join('');
    const bound = 2 * Buffer.byteLength(texts) + (maxTokens ?? 1);
    if (truncation !== 'error' && bound <= windowOf(agent.model)) return;
    await prove();
    await planOf(order, await freshMessages(order), []);
  }

  async function freshMessages({ agent, conversation, message }: TurnOrder): Promise<Message[]> {
    const now = clock.now();
    const about = { createdAt: now, expiresAt: now + agent.retentionDays * dayMs };
    return Promise.all(
      givenMessages(message).map(async (one, index) => {
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

  async function begin(order: TurnOrder, token: string): Promise<BegunTurn> {
    const now = clock.now();
    const conversation = { ...order.conversation, lock: { token, until: now + functionMs } };
    if (!(await conversations.lock(conversation, now))) throw inProgress();
    return freeing(conversations, conversation, async () => {
      const fresh = await freshMessages(order);
      const plan = await planOf(order, fresh, await passagesFor(order));
      const old = await plan.toSummarize();
      const { summary: before } = conversation;
      const newSummary = old.length === 0 ? before : await summarized(preparing.gateway, order.model, before, old);
      const summary = newSummary ?? before;
      const context = await plan.context(summary);
      const required = fresh.length + (order.message.functionResults ? 1 : 0);
      const earlierSent = context.messages.length - required;
      return { conversation: { ...conversation, summary }, fresh, context, earlierSent };
    });
  }

  return { check, begin };
}

function givenMessages({ content, functionResults }: NewMessage): Pick<Message, 'role' | 'content' | 'name'>[] {
  if (!functionResults) return [{ role: 'user', content: content ?? '' }];
  return functionResults.map((result) => ({ role: 'function', name: result.name, content: result.content }));
}

/** Unlocks the conversation if `work` fails. If unlocking fails too, the lock expires. */
async function freeing<T>(
  conversations: Pick<ConversationStore, 'unlock'>,
  conversation: Conversation,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await conversations.unlock(conversation).catch(() => undefined);
    throw error;
  }
}

export interface StreamedTurn {
  readonly reply: ReturnType<Inference['streamChat']>;
  readonly collected: () => ChatReply | undefined;
  readonly keep: (reply: ChatReply) => Promise<Turn>;
  readonly free: () => Promise<void>;
}

/**
 * Streams the reply, then the turn's summary event. Stores a complete reply even after a client disconnect. Charges
 * once anything was delivered or stored. Until the end its cost is 0, so that a crash costs the account nothing.
 */
function streamedTurn({ reply, collected, keep, free }: StreamedTurn): StreamedResponse {
  const progress = { isKept: false, isCancelled: false, isDelivered: false, isEnded: false };
  let used: ModelUsage | undefined;

  async function* chunks(): AsyncGenerator {
    const turn = yield* freeingAll();
    progress.isKept = true;
    const { message, ...rest } = turn;
    const { content: _, ...called } = message;
    yield { ...rest, message: called };
  }

  async function* freeingAll(): AsyncGenerator<unknown, Turn> {
    let isFree = false;
    try {
      for (let next = await reply.next(); !next.done; next = await reply.next()) {
        progress.isDelivered = true;
        yield next.value;
      }
      const whole = collected();
      if (progress.isCancelled || !whole)
        throw new ServiceError('MODEL_ERROR', 'The model stopped before its response was complete.');
      used = whole.usage;
      const turn = await keep(whole);
      isFree = true;
      return turn;
    } finally {
      progress.isEnded = true;
      if (!isFree) await free();
    }
  }

  const cost = async () => {
    const { isKept, isCancelled, isDelivered, isEnded } = progress;
    return isKept || (isDelivered && (isEnded || isCancelled)) ? reply.cost() : 0;
  };
  const cancel = () => {
    progress.isCancelled = true;
    reply.cancel();
    void free();
  };
  return new StreamedResponse(chunks(), cost, cancel, () => used ?? reply.usage, { onDisconnect: 'finish' });
}

/** Maximum stored UTF-8 bytes of a reply. A DynamoDB item is limited to 400 KB. */
const maxReplyBytes = 300_000;

export interface RecordParts {
  readonly conversations: Pick<ConversationStore, 'keep'>;
  readonly tokenizer: Tokenizer;
  readonly clock: Clock;
}

function turnRecord({ conversations, tokenizer, clock }: RecordParts) {
  /** Stores the turn. Throws 404 if the conversation was deleted, 502 if the reply cannot be stored. */
  return async function keep(order: TurnOrder, begun: BegunTurn, reply: ChatReply, cost: number): Promise<Turn> {
    const { agent, conversation: before } = order;
    const { conversation, fresh } = begun;
    const { content, call } = checkedReply(reply);
    const now = clock.now();
    const next = before.next + fresh.length;
    const context = reportedContext(order, begun);
    const sources = sourcesOf(begun);
    const expiresAt = now + agent.retentionDays * dayMs;
    const message: Message = {
      place: next,
      role: 'assistant',
      content,
      ...(call && { call }),
      tokens: await tokensOf({ role: 'assistant', content, call }, tokenizer),
      createdAt: now,
      expiresAt,
      ...(sources.length > 0 && { sources }),
      context,
      agentVersion: agent.version,
    };
    const after: Conversation = {
      ...conversation,
      next: next + 1,
      updatedAt: now,
      expiresAt,
      calledFunction: call?.name,
    };
    if (!(await conversations.keep({ after, messages: [...fresh, message] }))) throwNotFound('conversation');
    return {
      id: messageId(next),
      message: { role: 'assistant', content, ...(call && { function_call: call }) },
      status: call ? 'requires_action' : 'completed',
      sources,
      context,
      credits: Math.min(cost, order.amount) / microPerCredit,
      usage: totalled(reply.usage),
    };
  };
}

function reportedContext({ agent, conversation, message }: TurnOrder, { context, earlierSent }: BegunTurn) {
  const { used, isSummarized } = context;
  const droppedMessages = conversation.next - earlierSent - (message.functionResults ? 1 : 0);
  return { window: windowOf(agent.model), used, droppedMessages, summarized: isSummarized };
}

const sourcesOf = ({ context }: BegunTurn): Turn['sources'] =>
  context.passages.map(({ documentId, name, start, end, score }) => {
    return { documentId, name, start, end, score: Math.round(score * 1e4) / 1e4 };
  });

function checkedReply({ content, calls: [called] }: ChatReply) {
  const call = called && { name: called.name, arguments: called.arguments.toWellFormed() };
  const text = content.toWellFormed();
  if (Buffer.byteLength(text) + Buffer.byteLength(call?.arguments ?? '') > maxReplyBytes)
    throw new ServiceError('MODEL_ERROR', 'The model returned a reply that is too long to store.');
  return { content: text, call };
}

/** Collects the reply, whole or from chunks. `collected` is complete once the stream has ended. */
function turnFormat(): ChatFormat<ChatReply> & { readonly collected: () => ChatReply | undefined } {
  let content = '';
  const call = { name: '', arguments: '' };
  let end: ChatReply | undefined;
  return {
    maxCalls: 1,
    body: (reply) => reply,
    pieceChunks(piece, _, isFirst) {
      if ('content' in piece) content += piece.content;
      else {
        call.name += piece.call.opened?.name ?? '';
        call.arguments += piece.call.arguments;
      }
      return [{ delta: { ...(isFirst && { role: 'assistant' }), ...functionDelta(piece) } }];
    },
    endChunks(ended, { id }) {
      end = { ...ended, content, reasoning: '', calls: ended.called ? [{ id, ...call }] : [] };
      return [];
    },
    collected: () => end,
  };
}
