import type { NewMessage } from '#contract/agents/conversations.ts';
import { findModel } from '#contract/inference/models.ts';
import { limits } from '#contract/shared/limits.ts';
import type { Inference } from '../inference/inference.ts';
import type { Order } from '../inference/order.ts';
import { type Tariff, tariffOf } from '../inference/tariff.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type Agent, type AgentStore, throwNotFound } from './agent.ts';
import { type Conversation, type ConversationStore, isLocked, type Message } from './conversation.ts';
import { embeddingModel, checkedVectors } from './document.ts';
import type { Passage, VectorIndex } from './vector-index.ts';

export interface TurnOrder extends Order {
  readonly tariff: Tariff;
  readonly stream: boolean;
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly recent: readonly Message[];
  readonly message: NewMessage;
}

export interface OpeningParts {
  readonly agents: Pick<AgentStore, 'find'>;
  readonly conversations: Pick<ConversationStore, 'recent'>;
  readonly clock: Clock;
}

type Path = { readonly id: string; readonly conversationId: string };

export function turnOpening({ agents, conversations, clock }: OpeningParts) {
  async function modelOf(accountId: number, { id }: Path): Promise<string | undefined> {
    return (await agents.find({ accountId, id }))?.model;
  }

  /** Reads the agent and the conversation. Throws 404, 409 or 400. Calls `namesModel` before any refusal. */
  async function open(
    accountId: number,
    path: Path,
    message: NewMessage,
    namesModel: (model: string | undefined) => void,
  ): Promise<TurnOrder> {
    const now = clock.now();
    const finding = agents.find({ accountId, id: path.id });
    const ref = { accountId, agentId: path.id, id: path.conversationId };
    const missingOf = async (read: readonly Message[], { summary }: Conversation): Promise<number> => {
      const found = await finding;
      return found ? missingMessages(found, read, summary) : 0;
    };
    const [agent, found] = await Promise.all([finding, conversations.recent(ref, now, missingOf)]);
    namesModel(agent?.model);
    if (!agent) return throwNotFound('agent');
    if (!found) return throwNotFound('conversation');
    const { conversation, recent } = found;
    if (isLocked(conversation, now)) throw inProgress();
    checkKind(conversation, message);
    const { model } = agent;
    const tariff = tariffOf(model, 'chat', now);
    const amount = tariff.max(windowOf(model), agent.maxTokens ?? limits.defaultChatTokens);
    const { price } = tariff;
    return { model, amount, tariff, price, stream: message.stream, agent, conversation, recent, message };
  }

  return { open, modelOf };
}

export const windowOf = (model = ''): number => findModel(model, 'chat')?.contextWindow ?? 0;

/** Context windows of messages that a turn reads. A summary needs the messages of a second window. */
const windows = { drop: 1, error: 1, summarize: 2 } as const;

/** Estimates the missing messages, rounded up by a quarter, because lengths differ. */
export function missingMessages(
  { model, truncation }: Pick<Agent, 'model' | 'truncation'>,
  read: readonly Message[],
  summary: Conversation['summary'],
): number {
  const oldest = read.at(-1)?.place ?? 0;
  if (truncation === 'summarize' && oldest <= (summary?.upTo ?? 0)) return 0;
  const tokens = read.reduce((sum, message) => sum + message.tokens, 0);
  const missingTokens = windows[truncation] * windowOf(model) - tokens;
  const perMessage = Math.max(1, tokens / Math.max(1, read.length));
  return Math.max(0, Math.ceil((1.25 * missingTokens) / perMessage));
}

export function inProgress(): ServiceError {
  const detail = 'A message is still being processed. Wait for its reply.';
  return new ServiceError('REQUEST_IN_PROGRESS', detail, { retryAfterSeconds: 1 });
}

/** Requires a user message, or the result of the called function if one is pending. */
function checkKind({ calledFunction: called, next }: Conversation, { functionResults: results }: NewMessage): void {
  if (next + 2 > limits.conversationMessages) {
    const detail = `A conversation can have at most ${limits.conversationMessages} messages. Start a new one.`;
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

/** Maximum passages per turn, and UTF-16 units of a message used as the query. */
const maxPassages = 4;
const maxQuery = 2000;

export function passageSearch(embed: Inference['embed'], vectors: Pick<VectorIndex, 'search'>) {
  return async ({ agent, message, recent }: TurnOrder): Promise<readonly Passage[]> => {
    if (agent.chunks === 0) return [];
    const text = message.content ?? recent.findLast(({ role }) => role === 'user')?.content ?? '';
    const input = text.slice(0, maxQuery).toWellFormed();
    if (!/\S/.test(input)) return [];
    const model = embeddingModel();
    const request = { model, input, encoding_format: 'float' } as const;
    const { body } = await embed({ request: { input: [input] }, input: request });
    const embedding = body.data[0]?.embedding;
    const [vector] = typeof embedding === 'object' ? checkedVectors(model, [embedding]) : [];
    return vector ? vectors.search(agent, { text: input, model, vector }, maxPassages) : [];
  };
}
