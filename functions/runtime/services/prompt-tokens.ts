import { promptTokens } from '#domain/inference/chat.ts';
import type { Conversation } from '#domain/inference/conversation.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';

/** Counts the tokens of a prompt of any length. Apart from the services, which every function loads. */
export const countPromptTokens = (prompt: Pick<Conversation, 'messages' | 'functions'>): Promise<number> =>
  promptTokens(prompt, bpeTokenizer);
