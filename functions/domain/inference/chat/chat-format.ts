import type { ChatCompletion } from '#contract/inference/requests.ts';
import { reasonOf } from '../streams/end-reason.ts';
import { totalled } from '../streams/model-stream.ts';
import type { About, ChatFormat, ChatPiece } from './chat-response.ts';

/**
 * The specification's responses: a call of one function (docs/design/inference.md#function-call-message), streams whose last
 * chunk has the reason that it ended, and the usage ("Chat stream").
 */
export const specifiedChat: ChatFormat<ChatCompletion> = {
  maxCalls: 1,
  body({ content, calls: [call], usage, ...end }, { id, created, model }) {
    const called = call && { function_call: { name: call.name, arguments: call.arguments } };
    const message = { role: 'assistant' as const, content, ...called };
    const choice = { index: 0, message, finish_reason: reasonOf(end, 'function_call') };
    return { id, object: 'chat.completion', created, model, choices: [choice], usage: totalled(usage) };
  },
  pieceChunks: (piece, about, isFirst) => [
    chunk(about, { ...(isFirst && { role: 'assistant' }), ...functionDelta(piece) }, null),
  ],
  endChunks({ usage, ...end }, about, isFirst) {
    const delta = isFirst ? { role: 'assistant', content: '' } : {};
    return [{ ...chunk(about, delta, reasonOf(end, 'function_call')), usage: totalled(usage) }];
  },
};

const chunk = ({ id, created, model }: About, delta: object, finish_reason: string | null) => ({
  id,
  object: 'chat.completion.chunk',
  created,
  model,
  choices: [{ index: 0, delta, finish_reason }],
});

/** A piece where the one call of a response is its `function_call`. */
export function functionDelta(piece: ChatPiece) {
  if ('content' in piece) return { content: piece.content };
  const { opened, arguments: text } = piece.call;
  return { function_call: { ...(opened && { name: opened.name }), ...(text && { arguments: text }) } };
}
