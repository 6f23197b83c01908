import type { AssistantMessage, ChatItem } from './chat-item.ts';
import type { Piece } from './stream-chunk.ts';

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
  return { message, ...(finishReason !== undefined && { finishReason }) };
}
