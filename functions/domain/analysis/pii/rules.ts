import { type RulePiiType, rulePiiTypes } from '#contract/analysis/names.ts';
import type { Span } from '../span.ts';
import { creditCards } from './credit-card.ts';
import { emails } from './email.ts';
import { ibans } from './iban.ts';
import { ipAddresses } from './ip-address.ts';
import { type IsPhoneNumber, phones } from './phone.ts';
import { plainTexts } from './plain.ts';
import { urls } from './url.ts';

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
