import type { Items } from './thread.ts';

interface Prompt {
  readonly system: string;
  readonly functions: string;
  readonly items: Items;
  /** What is being typed. */
  readonly text: string;
}

/** Around each message, and around the whole, as the service counts them (`domain/inference/chat.ts`). */
const perMessage = 4;
const perRequest = 3;

/** The texts of the next request that tokens are counted of. */
export function promptTexts({ system, functions, items, text }: Prompt): string[] {
  const written = items.flatMap(({ message }) => {
    const call = message.role === 'assistant' ? message.function_call : undefined;
    return [(message.content ?? '') + (call ? call.name + call.arguments : '')];
  });
  return [system, ...written, text, functions].filter((one) => one !== '');
}

/** Tokens that a request adds to those of its texts. */
export const promptTokens = (texts: readonly string[]): number => perRequest + perMessage * texts.length;
