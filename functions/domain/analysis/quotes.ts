import type { AnalysisRequest } from '#contract/analysis/analysis.ts';

export interface Quote {
  readonly text: string;
  readonly type?: string;
}

export interface Located<Item> {
  readonly quote: Item;
  readonly span: Span;
}

export class QuoteFinder {
  unlocated = 0;
  readonly #text: string;
  readonly #mentions = new Map<string, readonly Span[]>();

  constructor(text: string) {
    this.#text = text;
  }

  locate<Item extends Quote>(quotes: readonly Item[]): Located<Item>[] {
    const found = new Map<string, Located<Item>[]>();
    for (const quote of quotes) {
      const words = quote.text.trim();
      const mentions = this.#mentionsOf(words);
      if (mentions.length === 0) this.unlocated += 1;
      const key = `${quote.type} ${words}`;
      if (!found.has(key))
        found.set(
          key,
          mentions.map((span) => ({ quote, span })),
        );
    }
    return [...found.values()].flat().toSorted((one, other) => byPlace(one.span, other.span));
  }

  #mentionsOf(words: string): readonly Span[] {
    const known = this.#mentions.get(words);
    if (known) return known;
    const mentions = words.isWellFormed() ? mentionsOf(words, this.#text) : [];
    this.#mentions.set(words, mentions);
    return mentions;
  }
}

const wordEnd = /[\p{L}\p{M}\p{N}_]$/u;
const wordStart = /^[\p{L}\p{M}\p{N}_]/u;

const scripts =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]';
export const unspaced = new RegExp(scripts, 'u');
const unspacedEnd = new RegExp(`${scripts}\\p{M}?$`, 'u');
const unspacedStart = new RegExp(`^${scripts}`, 'u');

/** Returns mentions as whole words or, if there are none, within words ("Bahn" in "Bahnhof"). */
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

function isWithinWord(text: string, at: number): boolean {
  const [before, after] = [text.slice(Math.max(at - 3, 0), at), text.slice(at, at + 2)];
  if (!wordEnd.test(before) || !wordStart.test(after)) return false;
  return !unspacedEnd.test(before) && !unspacedStart.test(after);
}

/** Spans must start and end between characters. */
export function spanIn(text: string, unit: AnalysisRequest['offsetUnit']): (span: Span) => Span {
  const points = unit === 'utf16' ? undefined : pointsBefore(text);
  if (!points) return ({ start, end }) => ({ start, end });
  return ({ start, end }) => ({ start: points[start] ?? 0, end: points[end] ?? 0 });
}

/** Counts the code points before each UTF-16 unit and the end. Returns undefined if every code point is one unit. */
function pointsBefore(text: string): Uint16Array | undefined {
  if (!/[\ud800-\udfff]/.test(text)) return undefined;
  const points = new Uint16Array(text.length + 1);
  let [unit, point] = [0, 0];
  for (const character of text) {
    points.fill(point, unit, unit + character.length);
    unit += character.length;
    point += 1;
  }
  points[unit] = point;
  return points;
}

/** In UTF-16 units. `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const lengthOf = ({ start, end }: Span): number => end - start;

export const byPlace = (one: Span, other: Span): number => one.start - other.start || one.end - other.end;

/** Merges overlapping spans into one with the properties of the longest, the first if tied. */
export function mergeOverlaps<S extends Span>(spans: readonly S[]): S[] {
  const merged: { longest: S; start: number; end: number }[] = [];
  for (const span of spans.toSorted(byPlace)) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) {
      merged.push({ longest: span, start: span.start, end: span.end });
      continue;
    }
    if (lengthOf(span) > lengthOf(last.longest)) last.longest = span;
    last.end = Math.max(last.end, span.end);
  }
  return merged.map(({ longest, start, end }) => ({ ...longest, start, end }));
}
