import type { NewMessage } from '#contract/agents/conversations.ts';
import type { Inference } from '../../inference/inference.ts';
import type { ModelGateway } from '../../inference/model-gateway.ts';
import type { Proof } from '../../inference/tokens.ts';
import type { Clock, Tokenizer } from '../../shared/ports.ts';
import { dayMs } from '../conversations/conversation-service.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import type { Conversation, Message } from '../conversations/conversation.ts';
import type { Passage, VectorIndex } from '../documents/vector-index.ts';
import { type ChosenContext, contextPlan } from './context.ts';
import { sentContent, tokensOf } from './prompt.ts';
import { summarized } from './summary.ts';
import { inProgress, type TurnOrder, windowOf } from './turn-order.ts';
import { passageSearch } from './turn-passages.ts';

/** A turn that has the conversation, with what was put together for it. */
export interface BegunTurn {
  readonly conversation: Conversation;
  readonly fresh: readonly Message[];
  readonly context: ChosenContext;
  /** Of the messages before it, so many are sent. */
  readonly earlierSent: number;
}

export interface PreparationParts {
  readonly conversations: Pick<ConversationStore, 'lock' | 'unlock'>;
  readonly vectors: Pick<VectorIndex, 'search'>;
  /** Models that are called before the reply, with less time. */
  readonly preparing: { readonly gateway: Pick<ModelGateway, 'chat'>; readonly embed: Inference['embed'] };
  readonly tokenizer: Tokenizer;
  readonly clock: Clock;
  /** Ms after which the function of a turn has ended, however it did. */
  readonly functionMs: number;
}

/** Puts together what the model is sent. */
export function turnPreparation(parts: PreparationParts) {
  const { conversations, vectors, preparing, tokenizer, clock, functionMs } = parts;
  const passagesFor = passageSearch(preparing.embed, vectors);

  /** Refuses (400) a message that cannot fit, before anything else is done for it. Counts only what may not. */
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

  /** Takes the conversation, which `token` then has, and chooses the context. */
  async function begin(order: TurnOrder, token: string): Promise<BegunTurn> {
    const now = clock.now();
    const conversation = { ...order.conversation, lock: { token, until: now + functionMs } };
    if (!(await conversations.lock(conversation, now))) throw inProgress();
    return freeing(conversations, conversation, async () => {
      const fresh = await freshMessages(order);
      const plan = await planOf(order, fresh, await passagesFor(order));
      const old = await plan.toSummarize();
      const { summary: before } = conversation;
      const made = old.length === 0 ? before : await summarized(preparing.gateway, order.model, before, old);
      const summary = made ?? before;
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

/** Gives the conversation back where something fails; where even that does, its deadline does. */
export async function freeing<T>(
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
