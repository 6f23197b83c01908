import type { Tokenizer } from '#domain/ports.ts';

/** Byte-pair encoding is quadratic in a run without spaces: 50,000 equal letters take a second, in pieces milliseconds. */
const pieceLength = 1024;

/** Names of control tokens inside a text are text. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** Counts by OpenAI's cl100k vocabulary. It is 1 MB of code, so it is loaded when a text first needs it. */
export const bpeTokenizer: Tokenizer = {
  async count(text) {
    const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base');
    let tokens = 0;
    for (let start = 0; start < text.length; start += pieceLength) {
      tokens += countTokens(text.slice(start, start + pieceLength), asText);
    }
    return tokens;
  },
};
