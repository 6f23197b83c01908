import type { ModelPiiType, PiiType } from '#contract/analysis/names.ts';
import { UnitTable } from '../shared/text.ts';
import { type IsPhoneNumber, type RuleSpan, ruleSpans } from './pii-rules.ts';
import { folded, type Placed } from './pii-text.ts';
import { lengthOf, mergeOverlaps, type Span, unspaced } from './quotes.ts';

export interface PiiSpan extends Span {
  readonly type: PiiType;
  readonly source: 'rule' | 'model';
}

/** Repeated searches for data that appears only after its neighbors are hidden. */
const maxRounds = 8;

/** Repeats until the redacted text yields no matches; hides the entire text after `maxRounds`. */
export function personalData(
  text: string,
  quotes: readonly PiiQuote[],
  isPhoneNumber: IsPhoneNumber,
): { spans: PiiSpan[]; unlocated: number } {
  const names = quotes.length > 0 ? new NamesText(text) : undefined;
  const quoted = quotedSpans(names, quotes);
  const { unlocated } = quoted;
  let spans = mergeOverlaps([...ruleSpans(text, isPhoneNumber).map(byRule), ...quoted.spans]);
  for (let round = 0; round < maxRounds; round += 1) {
    if (spans.length === 0) return { spans, unlocated };
    names?.hide(spans);
    const rules = ruleSpans(masked(text, spans), isPhoneNumber).map(byRule);
    const again = [...rules, ...quotedSpans(names, quoted.found, false).spans];
    const known = spans;
    const more = again.filter((span) => !isWithin(span, known));
    if (more.length === 0) return { spans, unlocated };
    spans = mergeOverlaps([...spans, ...more]);
  }
  const [longest] = spans.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  return { spans: longest ? [{ ...longest, start: 0, end: text.length }] : [], unlocated };
}

/** Returns whether one of the sorted, non-overlapping spans is within the given one. */
function isWithin({ start, end }: Span, spans: readonly Span[]): boolean {
  let [from, to] = [0, spans.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((spans[middle]?.end ?? 0) < end) from = middle + 1;
    else to = middle;
  }
  return (spans[from]?.start ?? end) <= start;
}

function quotedSpans(names: NamesText | undefined, quotes: readonly PiiQuote[], isWhole = true) {
  const spans: PiiSpan[] = [];
  const [found, known] = [new Map<string, PiiQuote>(), new Map<string, readonly Span[]>()];
  let unlocated = 0;
  for (const quote of quotes) {
    const key = `${quote.type} ${quote.text}`;
    const places = known.get(key) ?? names?.spansOf(quote.text, isWhole) ?? [];
    if (places.length === 0) unlocated += 1;
    else if (!found.has(key)) {
      found.set(key, quote);
      for (const { start, end } of places) spans.push({ type: quote.type, start, end, source: 'model' });
    }
    known.set(key, places);
  }
  return { spans, unlocated, found: [...found.values()] };
}

const byRule = (span: RuleSpan): PiiSpan => ({ ...span, source: 'rule' });

export const redacted = (text: string, spans: readonly PiiSpan[]): string =>
  replaced(text, spans, ({ type }) => `[${type}]`);

/** Keeps the length of the text. The rules match it like the redacted text, because brackets end every match. */
const masked = (text: string, spans: readonly PiiSpan[]): string =>
  replaced(text, spans, (span) => `[${'X'.repeat(Math.max(lengthOf(span) - 2, 0))}]`.slice(0, lengthOf(span)));

function replaced(text: string, spans: readonly PiiSpan[], replacement: (span: PiiSpan) => string): string {
  let [result, at] = ['', 0];
  for (const span of spans) {
    result += text.slice(at, span.start) + replacement(span);
    at = span.end;
  }
  return result + text.slice(at);
}

export interface PiiQuote {
  readonly text: string;
  readonly type: ModelPiiType;
}

const [other, letter, digit, underscore] = [0, 1, 2, 3];

/** Letters and digits of a quote that is matched only as a whole word; one fewer for Korean syllables. */
const maxShort = 2;

class NamesText {
  readonly #text: string;
  readonly #folded: Placed;
  readonly #kinds: Uint8Array;
  readonly #wordEnds: Uint32Array;

  constructor(text: string) {
    this.#text = text;
    this.#folded = folded(text);
    this.#kinds = kindsOf(this.#folded.text);
    this.#wordEnds = new Uint32Array(this.#kinds.length);
    this.#endWords();
  }

  hide(spans: readonly Span[]): void {
    for (const { start, end } of spans) this.#kinds.fill(other, this.#folded.unitAt(start), this.#folded.unitAt(end));
    this.#endWords();
  }

  #endWords(): void {
    for (let at = this.#kinds.length - 1; at >= 0; at -= 1) {
      const goesOn = at + 1 < this.#kinds.length && this.#kinds[at + 1] !== other;
      this.#wordEnds[at] = this.#kinds[at] !== other && goesOn ? (this.#wordEnds[at + 1] ?? 0) : at + 1;
    }
  }

  /** Finds a quote in any spelling at the start of words or, if there is none, also within words. */
  spansOf(quote: string, isWhole = true): Span[] {
    const sought = folded(quote.toWellFormed()).text.trim();
    if (sought === '' || !quote.isWellFormed()) return [];
    if (isShort(quote)) return this.#wholeWords(quote.trim(), sought);
    const first = kindsOf(sought.slice(0, 2))[0] ?? other;
    const beginning = this.#found(sought, (at) => this.#begins(at, first));
    return beginning.length > 0 || !isWhole ? beginning : this.#found(sought, () => true);
  }

  #wholeWords(quote: string, sought: string): Span[] {
    const first = kindsOf(sought.slice(0, 2))[0] ?? other;
    const written = quote.normalize('NFKC');
    const isWhole = (at: number): boolean => {
      const end = at + sought.length;
      const next = this.#kinds[end] ?? other;
      const { start, end: textEnd } = this.#folded.spanOf({ start: at, end });
      const isEnd = next === other || next === underscore || this.#kinds[end - 1] === other;
      return this.#begins(at, first) && isEnd && this.#text.slice(start, textEnd).normalize('NFKC') === written;
    };
    return this.#found(sought, isWhole, false);
  }

  #found(sought: string, isFound: (at: number) => boolean, toWordEnd = true): Span[] {
    const spans: { start: number; end: number }[] = [];
    const { text } = this.#folded;
    for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) {
      if (!isFound(at)) continue;
      const last = at + sought.length - 1;
      const { start, end } = this.#folded.spanOf({
        start: at,
        end: toWordEnd ? (this.#wordEnds[last] ?? 0) : last + 1,
      });
      const before = spans.at(-1);
      if (before && start < before.end) before.end = Math.max(before.end, end);
      else spans.push({ start, end });
    }
    return spans;
  }

  /** Returns whether a word starts here, including after an underscore, or at a letter after a digit. */
  #begins(at: number, first: number): boolean {
    const before = this.#kinds[at - 1] ?? other;
    return first === other || before === other || before === underscore || (before === digit && first !== digit);
  }
}

function isShort(quote: string): boolean {
  const signs = quote.normalize('NFC').match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  if (signs > maxShort || unspaced.test(quote)) return false;
  return signs < maxShort || !/\p{Script=Hangul}/u.test(quote);
}

function kindsOf(text: string): Uint8Array {
  const kinds = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) kinds[at] = unitKind.of(text.charCodeAt(at)) - 1;
  if (!surrogates.test(text)) return kinds;
  for (const { 0: character, index } of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g))
    kinds.fill(kindOf(character), index, index + 2);
  return kinds;
}

const surrogates = /[\ud800-\udfff]/;

/** Offset by one, because 0 means unknown; surrogates need the code point. */
const unitKind = new UnitTable((unit) => kindOf(unit) + 1);

function kindOf(character: string): number {
  if (!/[\p{L}\p{M}\p{N}_]/u.test(character)) return other;
  if (character === '_') return underscore;
  if (/\p{N}/u.test(character)) return digit;
  return unspaced.test(character) ? other : letter;
}
