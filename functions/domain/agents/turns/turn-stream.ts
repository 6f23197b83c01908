import type { Turn } from '#contract/agents/conversations.ts';
import type { ChatReply } from '../../inference/chat/chat-response.ts';
import type { Inference } from '../../inference/inference.ts';
import type { ModelUsage } from '../../inference/streams/model-stream.ts';
import { StreamedResponse } from '../../inference/streams/streamed-response.ts';
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
 * Streams the reply, and last what the turn came to. It is kept when it is whole, also where its reader has left. It is charged then, and, as a chat
 * is, once something was delivered, whatever ends it: the model that breaks off or takes too long, a conversation that is deleted on the way, the
 * write that fails. While it runs it has come to nothing, so that it costs nothing if its function dies.
 */
export function streamedTurn({ reply, collected, keep, free, amount }: StreamedTurn): StreamedResponse {
  const progress = { isKept: false, isCancelled: false, isDelivered: false, isEnded: false };
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
    return isKept || (isDelivered && (isEnded || isCancelled)) ? amount : 0;
  };
  const cancel = () => {
    progress.isCancelled = true;
    reply.cancel();
    // Nobody may take another piece, which would find that it was cancelled.
    void free();
  };
  return new StreamedResponse(chunks(), cost, cancel, () => used ?? reply.usage, 'finish');
}
