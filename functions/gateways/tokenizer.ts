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
  const cuts: number[] = [];
  for (const { 0: run, index } of text.matchAll(/\S+|\s+/g)) {
    for (let cut = longestRun; cut < run.length; cut += longestRun) cuts.push(index + cut);
  }
  return [...cuts, text.length].map((end, piece) => text.slice(cuts[piece - 1] ?? 0, end));
}
