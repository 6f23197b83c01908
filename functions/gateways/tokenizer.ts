import type { Tokenizer } from '#domain/ports.ts';

/** Byte-pair encoding is quadratic in a run without a break: 50,000 equal letters take a second, in pieces milliseconds. */
const longestRun = 256;

/** Names of control tokens inside a text are text. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** Counts by OpenAI's cl100k vocabulary. It is 1 MB of code, so it is loaded when a text first needs it. */
export const bpeTokenizer: Tokenizer = {
  async count(text) {
    const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base');
    return pieces(text).reduce((sum, piece) => sum + countTokens(piece, asText), 0);
  },
};

/** The text, cut only within long runs of spaces or of anything else. */
function pieces(text: string): string[] {
  const cut: string[] = [];
  let [pieceAt, runAt, wasSpace] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const space = isSpace(text.charCodeAt(at));
    if (space !== wasSpace) [runAt, wasSpace] = [at, space];
    if (at - runAt < longestRun) continue;
    cut.push(text.slice(pieceAt, at));
    pieceAt = runAt = at;
  }
  return [...cut, text.slice(pieceAt)];
}

const isSpace = (code: number): boolean =>
  code < 128 ? code === 32 || (code > 8 && code < 14) : /\s/.test(String.fromCharCode(code));
