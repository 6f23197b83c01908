import type { Piece } from '../../exchange/stream-chunk.ts';
import { type AssistantMessage, type ChatItem, newItem } from './chat-item.ts';

/** The reply so far with one more piece. */
export function extendReply(reply: ChatItem | undefined, { text, call, finishReason }: Piece): ChatItem {
  const before = reply?.message.role === 'assistant' ? reply.message : undefined;
  const called = before?.function_call;
  const message: AssistantMessage = {
    role: 'assistant',
    content: (before?.content ?? '') + text,
    ...((called ?? call) && {
      function_call: {
        name: (called?.name ?? '') + (call?.name ?? ''),
        arguments: (called?.arguments ?? '') + (call?.arguments ?? ''),
      },
    }),
  };
  return { ...(reply ?? newItem(message)), message, ...(finishReason !== undefined && { finishReason }) };
}
