import * as v from 'valibot';
import { accountId, day, instant, integer, pageSize, text, timeZone, whole } from '../shared/fields.ts';
import { changeKinds } from './plans.ts';
import { maxCredits } from './prices.ts';

const perService = v.object({ translation: whole, audio: whole, voice_call: whole, sms: whole });
export const lotSource = v.picklist(['plan', 'free', 'purchase']);

/** `quota` and `used` are whole credits of the current billing month; -1 means unlimited. `used` is rounded up. */
export const CreditBalance = v.object({
  id: accountId,
  quota: perService,
  used: perService,
  source: lotSource,
  expiresAt: instant,
});

/** `cursor` is the `nextCursor` of the previous page. */
export const LedgerQuery = v.object({
  cursor: v.optional(v.pipe(text(32), v.regex(/^\d{1,16}$/, 'must be the nextCursor of the previous page'))),
  limit: v.optional(pageSize, '50'),
});

const SubscriptionChange = v.object({
  kind: v.picklist(changeKinds),
  plan: v.pipe(v.string(), v.description('The plan after the change.')),
  effectiveAt: v.optional(v.pipe(instant, v.description('Present if the change takes effect after `at`.'))),
});

/** `unused`: refund of the part of a charge that a completed transcription did not use. */
export const refundReasons = ['failed', 'expired', 'deleted', 'unused'] as const;

/** `cached`: the part of `input` that was read from a cache. */
const TokenCounts = v.object({ input: whole, cached: whole, output: whole });

const ChargedPrice = v.union([
  v.object({ credits: v.number(), unit: v.string(), unitSize: whole }),
  v.object({
    perRequest: v.number(),
    input: v.number(),
    cachedInput: v.number(),
    cacheWrite: v.number(),
    output: v.number(),
  }),
]);

/**
 * A ledger row. `credits` is the change of the balance and `balance` the result, both with six decimals. `source` is
 * set for grants.
 */
const LedgerEntry = v.object({
  seq: whole,
  at: instant,
  type: v.picklist(['grant', 'charge', 'refund', 'expiry', 'adjustment']),
  service: v.nullable(v.string()),
  model: v.nullable(v.string()),
  source: v.nullable(lotSource),
  credits: v.number(),
  balance: v.number(),
  requestId: v.nullable(v.string()),
  keyId: v.nullable(v.string()),
  price: v.optional(
    v.pipe(
      ChargedPrice,
      v.description(
        'Price of the charge: `credits` per `unitSize` units, or credits per request and per million tokens.',
      ),
    ),
  ),
  tokens: v.optional(v.pipe(TokenCounts, v.description('Present for calls that were metered in tokens.'))),
  change: v.optional(
    v.pipe(SubscriptionChange, v.description('Present if the entry records a change of the subscription.')),
  ),
  paymentId: v.optional(
    v.pipe(v.string(), v.description('Present for credits that were bought, or taken back: the payment.')),
  ),
  reason: v.optional(v.pipe(v.picklist(refundReasons), v.description('Reason for a refund.'))),
});

/** Ledger rows, newest first. */
export const LedgerPage = v.object({
  entries: v.array(LedgerEntry),
  nextCursor: v.nullable(v.string()),
  isBehind: v.optional(
    v.pipe(
      v.boolean(),
      v.description('True if entries of the latest calls are not in the list yet. Read it again after a second.'),
    ),
  ),
});

/**
 * `balance` (spendable now) is rounded down to whole credits, `held` is rounded up. Lots are sorted by earliest expiry,
 * entries by newest first.
 */
export const Credits = v.object({
  balance: whole,
  held: whole,
  lots: v.array(v.object({ source: lotSource, granted: whole, remaining: whole, expiresAt: instant })),
  ...LedgerPage.entries,
});

export const ServiceList = v.object({
  services: v.array(
    v.object({
      name: v.string(),
      unit: v.string(),
      unitSize: whole,
      credits: v.pipe(v.number(), v.minValue(0)),
      description: v.string(),
    }),
  ),
});

export const ServicePath = v.object({ name: text(32) });

/** Whole credits of the current billing month; -1 means unlimited. */
export const ServiceQuota = v.object({
  service: v.string(),
  quota: whole,
  used: whole,
  remaining: whole,
  resetsAt: instant,
});

export const SpendingLimit = v.object({ monthlyCredits: v.nullable(integer(1, maxCredits)) }, 'must be a JSON object');

/** `used` includes running calls. `forecast`: credits used at the end of the month if the average continues. */
export const SpendingLimits = v.object({
  monthlyCredits: v.nullable(whole),
  used: v.number(),
  resetsAt: instant,
  forecast: v.number(),
});

/**
 * Days are those of `timezone`, by default UTC, and inclusive. Default: the last 30 days. `cursor` is the `nextCursor`
 * of the previous page.
 */
export const UsageQuery = v.object({
  from: v.optional(day),
  to: v.optional(day),
  timezone: v.optional(timeZone),
  group: v.optional(v.picklist(['service', 'model', 'key', 'member'], 'must be service, model, key or member')),
  cursor: v.optional(v.pipe(text(512), v.regex(/^[\w-]+$/, 'must be the nextCursor of the previous page'))),
});

/**
 * Calls, credits and tokens by day of `timezone`, and by service, model and key unless the request groups by one of
 * them. A page has whole days, and about 4,000 rows, enough for most accounts' year.
 */
export const Usage = v.object({
  from: v.string(),
  to: v.string(),
  timezone: v.string(),
  days: v.array(
    v.object({
      date: v.string(),
      service: v.optional(v.string()),
      model: v.optional(v.string()),
      keyId: v.optional(v.nullable(v.string())),
      memberId: v.optional(
        v.pipe(v.nullable(accountId), v.description('The person who created the key; null for calls without a key.')),
      ),
      calls: whole,
      credits: v.number(),
      tokens: v.optional(v.pipe(TokenCounts, v.description('Present if the calls used tokens.'))),
    }),
  ),
  nextCursor: v.optional(v.pipe(v.string(), v.description('Present if more days follow.'))),
  utcThrough: v.optional(
    v.pipe(
      v.string(),
      v.description(
        'The last day with calls from before the time of day was stored. These calls are listed by UTC day.',
      ),
    ),
  ),
  isBehind: v.optional(
    v.pipe(v.boolean(), v.description('True if the latest calls are not included yet. Read it again after a second.')),
  ),
});
