import { functionDelta } from '../../inference/chat/chat-format.ts';
import type { ChatFormat, ChatReply } from '../../inference/chat/chat-response.ts';

/** The reply to a turn, as a whole or by its pieces; `collected` is what there is of it, whole once it has ended. */
export function turnFormat(): ChatFormat<ChatReply> & { readonly collected: () => ChatReply | undefined } {
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
      end = { ...ended, content, calls: ended.called ? [{ id, ...call }] : [] };
      return [];
    },
    collected: () => end,
  };
}
