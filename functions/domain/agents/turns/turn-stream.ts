import type { Turn } from '#contract/agents/conversations.ts';
import type { ChatReply } from '../../inference/chat-response.ts';
import type { Inference } from '../../inference/inference.ts';
import type { ModelUsage } from '../../inference/model-stream.ts';
import { StreamedResponse } from '../../inference/streamed-response.ts';
import { ServiceError } from '../../shared/service-error.ts';

export interface StreamedTurn {
  readonly reply: ReturnType<Inference['streamChat']>;
  /** What has come of the reply, whole once it has ended. */
  readonly collected: () => ChatReply | undefined;
  readonly keep: (reply: ChatReply) => Promise<Turn>;
  /** Gives the conversation back; never rejects. */
  readonly free: () => Promise<void>;
  /** Microcredits. */
  readonly amount: number;
}

/**
 * Streams the reply, and last what the turn came to. It is kept when it is whole, also where its reader has left. It is charged then, and
 * where something was delivered of one that the model has not broken off: cancelled, or whole but not kept, as when its conversation was deleted
 * on the way or its write fails.
 */
export function streamedTurn({ reply, collected, keep, free, amount }: StreamedTurn): StreamedResponse {
  const progress = { isKept: false, isWhole: false, isCancelled: false, isDelivered: false };
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
      const whole = collected();
      if (progress.isCancelled || !whole) throw new ServiceError('MODEL_ERROR', 'The reply was cut short.');
      used = whole.usage;
      progress.isWhole = true;
      const turn = await keep(whole);
      isFree = true;
      return turn;
    } finally {
      if (!isFree) await free();
    }
  }

  const cost = async () => {
    const { isKept, isWhole, isCancelled, isDelivered } = progress;
    return isKept || (isDelivered && (isWhole || isCancelled)) ? amount : 0;
  };
  const cancel = () => {
    progress.isCancelled = true;
    reply.cancel();
    // Nobody may take another piece, which would find that it was cancelled.
    void free();
  };
  return new StreamedResponse(chunks(), cost, cancel, () => used ?? reply.usage, 'finish');
}
