import { findModel } from '#contract/inference/models.ts';
import type { Tokenizer } from '../shared/ports.ts';
import { overhead, overheadPerMessage, promptTexts } from './chat.ts';
import type { Conversation, ModelMessage } from './conversation.ts';
import { type Proof, TokenCount } from './order.ts';

/** Share of the window that is left for the output, unless `max_output_tokens` is less. */
const outputShare = 0.25;

/**
 * Drops the oldest messages of a conversation that does not fit into the model's window. Keeps system messages, the
 * newest message, and the result of each call with the call.
 */
export async function truncated(conversation: Conversation, tokenizer: Tokenizer, prove: Proof): Promise<Conversation> {
  const { model, messages, functions, maxTokens = Number.POSITIVE_INFINITY } = conversation;
  const window = findModel(model, 'chat')?.contextWindow ?? 0;
  const room = window - Math.min(maxTokens, Math.floor(window * outputShare));
  const extra = overhead + overheadPerMessage * messages.length;
  const whole = new TokenCount(promptTexts(conversation), tokenizer);
  if (extra + (await whole.bound(room - extra, window, prove)) <= room) return conversation;

  const tokensOf = async (some: readonly ModelMessage[], offered: Conversation['functions'] = []): Promise<number> => {
    const count = new TokenCount(promptTexts({ messages: some, functions: offered }), tokenizer);
    return overheadPerMessage * some.length + (await count.upTo(window));
  };
  const isSystem = ({ role }: ModelMessage): boolean => role === 'system';
  const kept = new Set(messages.filter(isSystem));
  let left = room - overhead - (await tokensOf([...kept], functions));
  for (const [index, group] of groupsOf(messages.filter((message) => !isSystem(message)))
    .toReversed()
    .entries()) {
    left -= await tokensOf(group);
    if (left < 0 && index > 0) break;
    for (const message of group) kept.add(message);
  }
  return { ...conversation, messages: messages.filter((message) => kept.has(message)) };
}

/** A message with the results of its calls. */
function groupsOf(messages: readonly ModelMessage[]): ModelMessage[][] {
  const groups: ModelMessage[][] = [];
  for (const message of messages) {
    const group = groups.at(-1);
    if (message.role === 'tool' && group) group.push(message);
    else groups.push([message]);
  }
  return groups;
}
