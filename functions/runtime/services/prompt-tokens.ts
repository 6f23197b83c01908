import { promptTokens } from '#domain/inference/chat.ts';
import type { Conversation } from '#domain/inference/conversation.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';

/** Counts the tokens of a prompt of any length. In its own module, because every function loads the services. */
export const countPromptTokens = (prompt: Pick<Conversation, 'messages' | 'functions'>): Promise<number> =>
  promptTokens(prompt, bpeTokenizer);
