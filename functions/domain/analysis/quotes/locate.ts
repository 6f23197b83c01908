import type { Span } from './span.ts';

const wordEnd = /[\p{L}\p{M}\p{N}_]$/u;
const wordStart = /^[\p{L}\p{M}\p{N}_]/u;

/** Scripts that put no space between words. */
const scripts =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]';
export const unspaced = new RegExp(scripts, 'u');
const unspacedEnd = new RegExp(`${scripts}\\p{M}?$`, 'u');
const unspacedStart = new RegExp(`^${scripts}`, 'u');

/**
 * Each mention of a quote in a text, in UTF-16 units: where it stands as words of its own, and only where it nowhere does, within
 * others ("Bahn" in "Bahnhof"). Both are well-formed, so no mention begins within a character.
 */
export function mentionsOf(quote: string, text: string): Span[] {
  const all = [...occurrences(quote, text)];
  const asWords = all.filter(({ start, end }) => !isWithinWord(text, start) && !isWithinWord(text, end));
  return asWords.length > 0 ? asWords : all;
}

function* occurrences(quote: string, text: string): Generator<Span> {
  if (quote === '') return;
  for (let start = text.indexOf(quote); start !== -1; start = text.indexOf(quote, start + quote.length)) {
    yield { start, end: start + quote.length };
  }
}

/** Whether a place has a letter, mark or digit of one word on both sides. */
function isWithinWord(text: string, at: number): boolean {
  const [before, after] = [text.slice(Math.max(at - 3, 0), at), text.slice(at, at + 2)];
  if (!wordEnd.test(before) || !wordStart.test(after)) return false;
  return !unspacedEnd.test(before) && !unspacedStart.test(after);
}
