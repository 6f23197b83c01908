import type { ModelPiiType, PiiType } from '#contract/analysis/names.ts';
import { UnitTable } from '../shared/text.ts';
import { type IsPhoneNumber, type RuleSpan, ruleSpans } from './pii-rules.ts';
import { folded, type Placed } from './pii-text.ts';
import { lengthOf, mergeOverlaps, type Span, unspaced } from './quotes.ts';

export interface PiiSpan extends Span {
  readonly type: PiiType;
  readonly source: 'rule' | 'model';
}

/** How often a text is searched again for what shows only once its neighbours are hidden; nobody writes a text that needs more. */
const maxRounds = 8;

/**
 * The personal data of a text in its order, without overlaps: what the rules find and what the model has quoted; `unlocated`: quotes that
 * the text does not have. Hidden, neither finds anything in what is left; a text that was made to need more rounds than `maxRounds` is
 * hidden as a whole.
 */
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

/** Whether one of some spans, in the order of the text and without overlaps, has a span in it. */
function isWithin({ start, end }: Span, spans: readonly Span[]): boolean {
  let [from, to] = [0, spans.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((spans[middle]?.end ?? 0) < end) from = middle + 1;
    else to = middle;
  }
  return (spans[from]?.start ?? end) <= start;
}

/** Where quotes stand in a text; each that is `found` once. */
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

/** The text with each span replaced by its type in brackets. */
export const redacted = (text: string, spans: readonly PiiSpan[]): string =>
  replaced(text, spans, ({ type }) => `[${type}]`);

/** As long as the text, and to the rules the same as the redacted one: brackets end whatever they look for. */
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

/** What a model takes for personal data. */
export interface PiiQuote {
  readonly text: string;
  readonly type: ModelPiiType;
}

const [other, letter, digit, underscore] = [0, 1, 2, 3];

/** Letters and digits of a quote that is sought as a whole word alone, in its case; of Korean syllables it is one fewer. */
const maxShort = 2;

/** A text in which names are sought. */
class NamesText {
  readonly #text: string;
  readonly #folded: Placed;
  /** Of each unit of the folded text. */
  readonly #kinds: Uint8Array;
  /** Where the word ends that a unit of the folded text is in. */
  readonly #wordEnds: Uint32Array;

  constructor(text: string) {
    this.#text = text;
    this.#folded = folded(text);
    this.#kinds = kindsOf(this.#folded.text);
    this.#wordEnds = new Uint32Array(this.#kinds.length);
    this.#endWords();
  }

  /** Takes spans of the text, in its order, for what ends words: others may begin behind them. */
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

  /**
   * Where a quote stands in the text, however it is written there: at the beginning of each word that begins with it, up to that word's end;
   * where it begins none, within words, unless some of the text is hidden. Without overlaps.
   */
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

  /** Whether a word begins here with a character of a kind: also behind an underscore, and a letter behind a digit. */
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

/** What each unit is in words of scripts that put spaces between them; nothing, in others. */
function kindsOf(text: string): Uint8Array {
  const kinds = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) kinds[at] = unitKind.of(text.charCodeAt(at)) - 1;
  if (!surrogates.test(text)) return kinds;
  for (const { 0: character, index } of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g))
    kinds.fill(kindOf(character), index, index + 2);
  return kinds;
}

const surrogates = /[\ud800-\udfff]/;

/** One more than the kind of a unit that is a character. */
const unitKind = new UnitTable((unit) => kindOf(unit) + 1);

function kindOf(character: string): number {
  if (!/[\p{L}\p{M}\p{N}_]/u.test(character)) return other;
  if (character === '_') return underscore;
  if (/\p{N}/u.test(character)) return digit;
  return unspaced.test(character) ? other : letter;
}
