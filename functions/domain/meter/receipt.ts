import { microPerCredit } from '#contract/billing/prices.ts';
import type { RateStanding } from './rate-window.ts';

/** Headers of a priced call's rate limit: OpenAI's names, and the IETF draft's (reference: draft-ietf-httpapi-ratelimit-headers). */
export function rateHeaders(rate: RateStanding | undefined): Record<string, string> {
  if (!rate) return {};
  const resetSeconds = Math.ceil(rate.resetMs / 1000);
  return {
    'x-ratelimit-limit-requests': String(rate.limit),
    'x-ratelimit-remaining-requests': String(rate.remaining),
    'x-ratelimit-reset-requests': `${resetSeconds}s`,
    'RateLimit-Policy': `"minute";q=${rate.limit};w=60`,
    RateLimit: `"minute";r=${rate.remaining};t=${resetSeconds}`,
  };
}

/** Headers that tell what a call cost and what is left, in credits as metered. Both in microcredits. */
export function creditHeaders(cost: number, remaining: number): Record<string, string> {
  return { 'x-credits-charged': decimalCredits(cost), 'x-credits-remaining': decimalCredits(remaining) };
}

/** Microcredits as a decimal number of credits without trailing zeros, exactly. */
export function decimalCredits(micro: number): string {
  const whole = Math.floor(micro / microPerCredit);
  const fraction = String(micro % microPerCredit)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return fraction ? `${whole}.${fraction}` : String(whole);
}
