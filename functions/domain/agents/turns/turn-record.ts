import type { Turn } from '#contract/agents/conversations.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { ChatReply } from '../../inference/chat/chat-response.ts';
import { totalled } from '../../inference/streams/model-stream.ts';
import type { Clock, Tokenizer } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import { missing } from '../agent-service.ts';
import { dayMs } from '../conversations/conversation-service.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import { type Conversation, type Message, messageId } from '../conversations/conversation.ts';
import { tokensOf } from './prompt.ts';
import { type TurnOrder, windowOf } from './turn-order.ts';
import type { BegunTurn } from './turn-preparation.ts';

/** UTF-8 bytes of a reply that are kept: an item of DynamoDB has 400 KB. */
const maxReplyBytes = 300_000;

export interface RecordParts {
  readonly conversations: Pick<ConversationStore, 'keep'>;
  readonly tokenizer: Tokenizer;
  readonly clock: Clock;
}

export function turnRecord({ conversations, tokenizer, clock }: RecordParts) {
  /** Writes the turn. Refuses (404) where the conversation was deleted meanwhile, (502) a reply that cannot be kept. */
  return async function keep(order: TurnOrder, begun: BegunTurn, reply: ChatReply): Promise<Turn> {
    const { agent, conversation: before, amount } = order;
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
    if (!(await conversations.keep({ after, messages: [...fresh, message] }))) missing('conversation');
    return {
      id: messageId(next),
      message: { role: 'assistant', content, ...(call && { function_call: call }) },
      status: call ? 'requires_action' : 'completed',
      sources,
      context,
      credits: amount / microPerCredit,
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

/** What can be kept and sent again: text and a call. */
function checkedReply({ content, calls: [called] }: ChatReply) {
  const call = called && { name: called.name, arguments: called.arguments.toWellFormed() };
  const text = content.toWellFormed();
  if (Buffer.byteLength(text) + Buffer.byteLength(call?.arguments ?? '') > maxReplyBytes)
    throw new ServiceError('MODEL_ERROR', 'The model returned a reply that is too long to store.');
  return { content: text, call };
}
