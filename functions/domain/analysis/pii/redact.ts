import type { ModelPiiType, PiiType } from '#contract/analysis/names.ts';
import { lengthOf, mergeOverlaps, type Span } from '../span.ts';
import type { IsPhoneNumber } from './phone.ts';
import { type RuleSpan, ruleSpans } from './rules.ts';

export interface PiiSpan extends Span {
  readonly type: PiiType;
  readonly source: 'rule' | 'model';
}

/** How often a text is searched again for what shows only once its neighbours are hidden; nobody writes a text that needs more. */
const maxRounds = 8;

/**
 * The personal data of a text in its order, without overlaps: what the rules find and what the model has quoted. Hidden, no rule finds
 * anything in what is left; a text that was made to need more rounds than `maxRounds` is hidden as a whole.
 */
export function personalData(
  text: string,
  quoted: readonly (Span & { readonly type: ModelPiiType })[],
  isPhoneNumber: IsPhoneNumber,
): PiiSpan[] {
  const byModel = quoted.map(({ type, start, end }): PiiSpan => ({ type, start, end, source: 'model' }));
  let spans = mergeOverlaps([...ruleSpans(text, isPhoneNumber).map(byRule), ...byModel]);
  for (let round = 0; round < maxRounds; round += 1) {
    const more = ruleSpans(masked(text, spans), isPhoneNumber);
    if (more.length === 0) return spans;
    spans = mergeOverlaps([...spans, ...more.map(byRule)]);
  }
  const [longest] = spans.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  return longest ? [{ ...longest, start: 0, end: text.length }] : [];
}

const byRule = (span: RuleSpan): PiiSpan => ({ ...span, source: 'rule' });

/** The text with each span replaced by its type in brackets. */
export const redacted = (text: string, spans: readonly PiiSpan[]): string =>
  replaced(text, spans, ({ type }) => `[${type}]`);

/** As long as the text, and to the rules the same as the redacted one: brackets end whatever they look for. */
const masked = (text: string, spans: readonly PiiSpan[]): string =>
  replaced(text, spans, (span) => `[${'_'.repeat(Math.max(lengthOf(span) - 2, 0))}]`.slice(0, lengthOf(span)));

function replaced(text: string, spans: readonly PiiSpan[], replacement: (span: PiiSpan) => string): string {
  let [result, at] = ['', 0];
  for (const span of spans) {
    result += text.slice(at, span.start) + replacement(span);
    at = span.end;
  }
  return result + text.slice(at);
}
