import * as v from 'valibot';
import { ChatRequest } from '#contract/inference/requests.ts';

const Message = ChatRequest.entries.messages.item;

/** A message with an id. `finishReason` is set on a completely generated one. */
export const ChatItem = v.object({
  id: v.fallback(v.string(), () => crypto.randomUUID()),
  message: Message,
  finishReason: v.optional(v.string()),
});
export type ChatItem = v.InferOutput<typeof ChatItem>;

export type ChatMessage = v.InferOutput<typeof Message>;
export type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

export const newItem = (message: ChatMessage): ChatItem => ({ id: crypto.randomUUID(), message });

export type Items = readonly ChatItem[];

const isGenerated = ({ message }: ChatItem): boolean => message.role === 'assistant';

/** The prompt of the last response: all messages up to the last message that the model did not generate. */
export const promptOf = (items: Items): Items => items.slice(0, items.findLastIndex((item) => !isGenerated(item)) + 1);

/** The conversation up to an edited message. Undefined if the message does not exist or was generated. */
export function withContent(items: Items, id: string, content: string): Items | undefined {
  const place = items.findIndex((item) => item.id === id);
  const item = items[place];
  if (!item || item.message.role === 'assistant') return undefined;
  return [...items.slice(0, place), { ...item, message: { ...item.message, content } }];
}

/**
 * The conversation without a message. A function call and its result are removed together, because models accept
 * neither alone.
 */
export function withoutMessage(items: Items, id: string): Items {
  const place = items.findIndex((item) => item.id === id);
  const gone = new Set([id]);
  const [item, before, after] = [items[place], items[place - 1], items[place + 1]];
  if (item && isCall(item) && after?.message.role === 'function') gone.add(after.id);
  if (item?.message.role === 'function' && before && isCall(before)) gone.add(before.id);
  return items.filter((one) => !gone.has(one.id));
}

const isCall = ({ message }: ChatItem): boolean => message.role === 'assistant' && message.function_call !== undefined;
