import { type RulePiiType, rulePiiTypes } from '#contract/analysis/names.ts';
import type { Span } from '../quotes/span.ts';
import { creditCards } from './rules/credit-card.ts';
import { emails } from './rules/email.ts';
import { ibans } from './rules/iban.ts';
import { ipAddresses } from './rules/ip-address.ts';
import { type IsPhoneNumber, phones } from './rules/phone.ts';
import { urls } from './rules/url.ts';
import { plainTexts } from './text/plain.ts';

export interface RuleSpan extends Span {
  readonly type: RulePiiType;
}

/** All that the rules find in a text, which may overlap. Takes time in proportion to the text, whatever is in it. */
export function ruleSpans(text: string, isPhoneNumber: IsPhoneNumber): RuleSpan[] {
  const plains = plainTexts(text);
  const found = plains.flatMap((plain) =>
    spansIn(plain.text, isPhoneNumber).map((span) => ({ ...span, ...plain.spanOf(span) })),
  );
  if (plains.length === 1) return found;
  return [...new Map(found.map((span) => [`${span.type} ${span.start} ${span.end}`, span])).values()];
}

function spansIn(text: string, isPhoneNumber: IsPhoneNumber): RuleSpan[] {
  const found: Readonly<Record<RulePiiType, Iterable<Span>>> = {
    EMAIL: emails(text),
    URL: urls(text),
    IP_ADDRESS: ipAddresses(text),
    IBAN: ibans(text),
    CREDIT_CARD: creditCards(text),
    PHONE: phones(text, isPhoneNumber),
  };
  return rulePiiTypes.flatMap((type) => Array.from(found[type], ({ start, end }) => ({ type, start, end })));
}
