import * as v from 'valibot';
import { email } from '../accounts/email.ts';
import { lotSource } from '../billing/credits.ts';
import { planListing } from '../billing/plans.ts';
import { CurrentSubscription } from '../billing/subscriptions.ts';
import { accountId, instant, integer, isVisible, text, whole } from '../shared/fields.ts';

/** An account's id in a path or query. */
const idInText = v.pipe(
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

const body = 'must be a JSON object';

/** Why an operator did something; kept with the audit event. */
const reason = v.pipe(text(500), v.check(isVisible, 'must have a visible character'));

export const AccountKeyPath = v.object({ ...AccountPath.entries, keyId: text(64) });
export const OperatorAction = v.object({ reason }, body);
export const PlanAssignment = v.object(
  {
    planId: v.picklist(
      planListing.map(({ name }) => name),
      'must name a plan',
    ),
    reason,
  },
  body,
);
/** Whole credits, usable for three months. */
export const CreditGrant = v.object({ credits: integer(1, 1_000_000), reason }, body);

/** What operators do to accounts. `set_role` is done with `bin/operator.ts` only. */
const auditActions = ['suspend', 'resume', 'suspend_key', 'assign_plan', 'grant_credits', 'set_role'] as const;
export type AuditAction = (typeof auditActions)[number];
export const AuditAction = v.picklist(auditActions);

/** The part of an account that an action changes, as it was before or is after it. */
export const AuditedState = v.object({
  status: v.exactOptional(v.picklist(['active', 'suspended'])),
  plan: v.exactOptional(v.string()),
  subscription: v.exactOptional(v.picklist(['active', 'cancelled', 'none'])),
  /** Of the balance, held ones included; exact to the millionth. */
  credits: v.exactOptional(v.number()),
  keyId: v.exactOptional(v.string()),
  key: v.exactOptional(v.string()),
  role: v.exactOptional(v.string()),
});
export type AuditedState = v.InferOutput<typeof AuditedState>;

/** `accountId`: of this account only. `cursor` is the `nextCursor` of the page before. */
export const AuditQuery = v.object({
  accountId: v.optional(idInText),
  cursor: v.optional(v.pipe(text(64), v.regex(/^\d{15}#\w+$/, 'must be the nextCursor of the page before'))),
  limit: v.optional(
    v.pipe(v.string(), v.regex(/^(?:[1-9]\d?|100)$/, 'must be a number from 1 to 100'), v.transform(Number)),
    '50',
  ),
});

/** An account as an event names it: `email` as it is now, null once the account is purged. */
const NamedAccount = v.object({ id: accountId, email: v.nullable(v.string()) });

/** What was done, by whom and why, and what it changed. `by` is null for what was done with `bin/operator.ts`. */
const AuditEntry = v.object({
  requestId: v.string(),
  at: instant,
  action: AuditAction,
  account: NamedAccount,
  by: v.nullable(NamedAccount),
  reason: v.string(),
  before: AuditedState,
  after: AuditedState,
});

/** Newest first. */
export const AuditPage = v.object({ events: v.array(AuditEntry), nextCursor: v.nullable(v.string()) });

/** Days that what is left of a sent mail is kept: neither its text nor its links. */
export const mailRetentionDays = 30;

/** Mails that are shown: the newest. */
export const shownMails = 20;

const mailStates = ['waiting', 'sent', 'rejected', 'suppressed', 'expired'] as const;
export type MailState = (typeof mailStates)[number];

/**
 * Mails about an account, newest first. `sent`: SES took it; `rejected`: SES refused it; `suppressed`: not sent, as an earlier
 * mail to the address bounced or was called spam; `expired`: not sent in a week, and given up. `suppression`: whether its present
 * address is in that state.
 */
export const MailList = v.object({
  mails: v.array(
    v.object({
      subject: v.string(),
      at: instant,
      state: v.picklist(mailStates),
      stateAt: v.nullable(instant),
    }),
  ),
  suppression: v.nullable(v.object({ reason: v.picklist(['bounce', 'complaint']), at: instant })),
});
