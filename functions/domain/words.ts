/** Letters of the scripts that put no space between words and that ICU has word lists for. */
const unspacedLetter =
  /[[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]&&\p{Lo}]/v;

/** UTF-16 units. Longer than words get, so that joining words by something other than a space does not make them one. */
const longestWord = 50;

/**
 * How many words a text has, for its price. A word is a run of text without white space. Where a run has letters of a
 * script that is written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese), its words are those that ICU's
 * word lists find (`Intl.Segmenter`), punctuation left out. A word of more than 50 characters counts once for each
 * started 50. So white space changes nothing, and a text has no word only if it is nothing but white space.
 */
export function countWords(text: string): number {
  const runs = Map.groupBy(text.match(/\S+/g) ?? [], (run) => unspacedLetter.test(run));
  const spaced = runs.get(false) ?? [];
  const unspaced = runs.get(true) ?? [];
  return [...spaced, ...segmented(unspaced)].reduce((sum, word) => sum + Math.ceil(word.length / longestWord), 0);
}

/** All runs in one pass, as a pass costs more to start than a short run to segment; a line break never joins words. */
function segmented(runs: readonly string[]): string[] {
  if (runs.length === 0) return [];
  // The first Segmenter of a process takes 30 ms to load, which most texts do without.
  const words = new Intl.Segmenter('und', { granularity: 'word' }).segment(runs.join('\n'));
  return Array.from(words)
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
}
