import type { Turn } from '#contract/agents/conversations.ts';
import type { Inference } from '../../inference/inference.ts';
import type { StreamedResponse } from '../../inference/streams/streamed-response.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import { modelConversation } from './prompt.ts';
import { turnFormat } from './turn-format.ts';
import { type OpeningParts, type TurnOrder, turnOpening } from './turn-order.ts';
import { type BegunTurn, freeing, type PreparationParts, turnPreparation } from './turn-preparation.ts';
import { turnRecord } from './turn-record.ts';
import { streamedTurn } from './turn-stream.ts';

export interface TurnParts extends OpeningParts, PreparationParts {
  readonly conversations: ConversationStore;
  readonly inference: Pick<Inference, 'orderChatWithin' | 'chat' | 'streamChat'>;
}

/** A message to an agent, and its reply (docs/agents.md#a-turn). */
export function turnService(parts: TurnParts) {
  const { conversations, inference } = parts;
  const { check, begin } = turnPreparation(parts);
  const keep = turnRecord(parts);

  /** The model's reply to what was put together, and what collects it. */
  function generation({ agent, stream }: TurnOrder, { context }: BegunTurn) {
    const { system, messages, maxTokens } = context;
    const format = turnFormat();
    const conversation = modelConversation(agent, system, messages, stream);
    return { format, ordered: inference.orderChatWithin(conversation, format, maxTokens) };
  }

  /** `token` names the turn. */
  async function take(order: TurnOrder, token: string): Promise<Turn> {
    const begun = await begin(order, token);
    return freeing(conversations, begun.conversation, async () => {
      const { ordered } = generation(order, begun);
      if (ordered.stream) throw new Error('a turn that is not streamed has a whole reply');
      return keep(order, begun, await inference.chat(ordered, token));
    });
  }

  async function stream(order: TurnOrder, token: string): Promise<StreamedResponse> {
    const begun = await begin(order, token);
    const { ordered, format } = generation(order, begun);
    if (!ordered.stream) throw new Error('a turn that is streamed has a streamed reply');
    return streamedTurn({
      reply: inference.streamChat(ordered, token),
      collected: format.collected,
      keep: (reply) => keep(order, begun, reply),
      free: () => conversations.unlock(begun.conversation).catch(() => undefined),
      amount: order.amount,
    });
  }

  return { ...turnOpening(parts), check, take, stream };
}
