import type { ChatCompletion } from '#contract/inference/requests.ts';
import type { ChatFormat, ResponseMetadata, TextPiece } from './chat.ts';
import { reasonOf, totalled } from './model-stream.ts';

/** The format of `/v1`: one function call (docs/inference.md#responses). The last chunk contains the usage. */
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

const chunk = ({ id, created, model }: ResponseMetadata, delta: object, finish_reason: string | null) => ({
  id,
  object: 'chat.completion.chunk',
  created,
  model,
  choices: [{ index: 0, delta, finish_reason }],
});

export function functionDelta(piece: TextPiece) {
  if ('content' in piece) return { content: piece.content };
  const { opened, arguments: text } = piece.call;
  return { function_call: { ...(opened && { name: opened.name }), ...(text && { arguments: text }) } };
}
