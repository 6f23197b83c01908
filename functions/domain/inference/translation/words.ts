import { codePoints } from '../../shared/text/code-points.ts';

let unspaced: RegExp | undefined;

/** Letters of the scripts that put no space between words and that ICU has word lists for; read by the first text, as it takes 2 ms. */
const unspacedLetter = (): RegExp =>
  (unspaced ??=
    /[[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]&&\p{Lo}]/v);

const letterOrDigit = /[\p{L}\p{N}]/u;

/** Code points, as all lengths here. Longer than words get, so that joining words by something other than a space does not make them one. */
const maxWordLength = 50;

/** What stands between words, for each of them; far more than in any language. */
const maxGapLength = 50;

/** A text of n words is no longer than n times this. */
export const maxLengthPerWord = maxWordLength + maxGapLength;

/**
 * How many words a text has, for its price (docs/design/inference.md#words). A word is a run of text without white space that has a letter
 * or digit. Where a run has letters of a script that is written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese), its words
 * are those that ICU's word lists find (`Intl.Segmenter`). A word of more than 50 characters counts once for each started 50. What stands
 * between words, white space and punctuation, is free up to 50 characters for each word; a text with more of it, or without any
 * word, has one for each started 50 of them. Only a text of nothing but white space has none.
 */
export function countWords(text: string): number {
  if (text.trim() === '') return 0;
  const runs = Map.groupBy(text.match(/\S+/g) ?? [], (run) => unspacedLetter().test(run));
  const spaced = (runs.get(false) ?? []).filter((run) => letterOrDigit.test(run));
  let [words, length] = [0, 0];
  for (const word of [...spaced, ...segmented(runs.get(true) ?? [])]) {
    const wordLength = codePoints(word);
    words += Math.ceil(wordLength / maxWordLength);
    length += wordLength;
  }
  return Math.max(words, Math.ceil((codePoints(text) - length) / maxGapLength));
}

/** All runs in one pass, as a pass costs more to start than a short run to segment; a line break never joins words. */
function segmented(runs: readonly string[]): string[] {
  if (runs.length === 0) return [];
  const words: string[] = [];
  // The first Segmenter of a process takes 30 ms to load, which most texts do without.
  for (const { segment, isWordLike } of new Intl.Segmenter('und', { granularity: 'word' }).segment(runs.join('\n'))) {
    if (isWordLike) words.push(segment);
  }
  return words;
}
