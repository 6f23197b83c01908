import * as v from 'valibot';
import { email } from '../accounts/email.ts';
import { lotSource } from '../billing/credits.ts';
import { CurrentSubscription } from '../billing/subscriptions.ts';
import { accountId, instant, whole } from '../shared/fields.ts';

/** An account's id in a path or query. */
export const idInText = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,15}$/, 'must be an account id'),
  v.transform(Number),
  v.maxValue(Number.MAX_SAFE_INTEGER, 'must be an account id'),
);

export const AccountPath = v.object({ id: idInText });

/** Exactly one of them. A key names its account in its first 13 characters; more than the 17 that lists show is not taken. */
export const AccountQuery = v.pipe(
  v.object({
    email: v.optional(email),
    id: v.optional(idInText),
    keyPrefix: v.optional(
      v.pipe(v.string(), v.regex(/^tai_[0-9A-Za-z]{9,13}$/, 'must be the first 13 to 17 characters of a key')),
    ),
  }),
  v.check(
    (query) => Object.values(query).filter((value) => value !== undefined).length === 1,
    'must have one of email, id and keyPrefix',
  ),
);

export const OperatedAccount = v.object({
  id: accountId,
  email: v.string(),
  name: v.string(),
  role: v.string(),
  status: v.picklist(['active', 'suspended', 'deleted']),
  plan: v.string(),
  created_at: instant,
});

/** Holds that are shown. */
export const shownHolds = 50;

/** An account as operators see it. Credits exact to the millionth; `perMonth` and `perMinute` are null where the plan has no limit. */
export const AccountDetails = v.object({
  ...OperatedAccount.entries,
  confirmedAt: v.nullable(instant),
  suspendedAt: v.nullable(instant),
  deletedAt: v.nullable(instant),
  signIn: v.object({ password: v.boolean(), google: v.boolean() }),
  subscription: CurrentSubscription,
  /** `spendable` now; `lots` oldest expiry first, which is spent first. */
  credits: v.object({
    spendable: v.number(),
    held: v.number(),
    lots: v.array(v.object({ source: lotSource, granted: v.number(), remaining: v.number(), expiresAt: instant })),
  }),
  /** Of calls that run, soonest end first; `expiresAt`: then the credits go back. */
  holds: v.array(
    v.object({
      requestId: v.string(),
      service: v.string(),
      model: v.string(),
      keyId: v.nullable(v.string()),
      credits: v.number(),
      expiresAt: instant,
    }),
  ),
  calls: v.object({
    running: whole,
    maxRunning: whole,
    thisMonth: whole,
    perMonth: v.nullable(whole),
    perMinute: v.nullable(v.object({ limit: whole, remaining: whole, resetSeconds: whole })),
  }),
  /** The billing month that runs, and what calls were charged in it. */
  period: v.object({ from: instant, to: instant }),
  used: v.array(v.object({ service: v.string(), credits: v.number() })),
});
