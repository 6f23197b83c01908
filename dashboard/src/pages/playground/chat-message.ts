import type { InferInput } from 'valibot';
import type { ChatRequest } from '#contract/inference/requests.ts';
import type { Piece } from './exchange.ts';

export type ChatMessage = InferInput<typeof ChatRequest>['messages'][number];
export type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** The reply so far with one more piece. */
export function extended(reply: ChatMessage | undefined, { text, call }: Piece): AssistantMessage {
  const before = reply?.role === 'assistant' ? reply : undefined;
  const called = before?.function_call;
  return {
    role: 'assistant',
    content: (before?.content ?? '') + text,
    ...((called ?? call) && {
      function_call: {
        name: (called?.name ?? '') + (call?.name ?? ''),
        arguments: (called?.arguments ?? '') + (call?.arguments ?? ''),
      },
    }),
  };
}
