import type { ChatBody } from '../code-request.ts';

type Message = ChatBody['messages'][number];

/** A message of the conversation; calls and results carry the id that ties them. */
export type ToolMessage =
  | { readonly kind: 'text'; readonly role: 'system' | 'user' | 'assistant'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      /** What the assistant wrote beside the call. */
      readonly text: string;
    }
  | { readonly kind: 'result'; readonly id: string; readonly name: string; readonly text: string };

/** Function calls as SDKs have them, as calls of tools: a result belongs to the call just before it. */
export const toolMessages = (messages: readonly Message[]): ToolMessage[] =>
  messages.map((message, index) => {
    if (message.role === 'function') {
      return { kind: 'result', id: `call_${index - 1}`, name: message.name, text: message.content };
    }
    const call = message.role === 'assistant' ? message.function_call : undefined;
    const text = message.content ?? '';
    if (call) return { kind: 'call', id: `call_${index}`, name: call.name, arguments: call.arguments, text };
    return { kind: 'text', role: message.role, text };
  });
