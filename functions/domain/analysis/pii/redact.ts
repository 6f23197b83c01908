import type { PiiType } from '#contract/analysis/names.ts';
import { lengthOf, mergeOverlaps, type Span } from '../quotes/span.ts';
import { NamesText, type PiiQuote } from './names-in.ts';
import { type RuleSpan, ruleSpans } from './rules.ts';
import type { IsPhoneNumber } from './rules/phone.ts';

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
