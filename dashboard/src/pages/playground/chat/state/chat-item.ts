import * as v from 'valibot';
import { ChatRequest } from '#contract/inference/requests.ts';

const Message = ChatRequest.entries.messages.item;

/** A message of a conversation, with a name of its own; `finishReason` of a generated one that is complete. */
export const ChatItem = v.object({
  id: v.fallback(v.string(), () => crypto.randomUUID()),
  message: Message,
  finishReason: v.optional(v.string()),
});
export type ChatItem = v.InferOutput<typeof ChatItem>;

export type ChatMessage = v.InferOutput<typeof Message>;
export type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

export const newItem = (message: ChatMessage): ChatItem => ({ id: crypto.randomUUID(), message });
