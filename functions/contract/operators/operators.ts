import * as v from 'valibot';
import { email } from '../accounts/email.ts';
import { lotSource } from '../billing/credits.ts';
import { planListing } from '../billing/plans.ts';
import { CurrentSubscription } from '../billing/subscriptions.ts';
import { organizationRoles } from '../organizations/roles.ts';
import { accountId, idInText, instant, integer, isVisible, text, whole, day } from '../shared/fields.ts';

export const AccountPath = v.object({ id: idInText });

/**
 * Exactly one of these parameters. The first 13 characters of a key identify its account; more than the 17 listed
 * characters are rejected.
 */
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

/** Maximum holds shown. */
export const shownHolds = 50;

/**
 * An account as operators see it. Credits have six decimals. `perMonth` and `perMinute` are null if the plan has no
 * limit.
 */
export const AccountDetails = v.object({
  ...OperatedAccount.entries,
  confirmedAt: v.nullable(instant),
  suspendedAt: v.nullable(instant),
  deletedAt: v.nullable(instant),
  signIn: v.object({ password: v.boolean(), google: v.boolean() }),
  subscription: CurrentSubscription,
  /** `spendable` now. `lots` are sorted by earliest expiry, the order in which they are spent. */
  credits: v.object({
    spendable: v.number(),
    held: v.number(),
    lots: v.array(v.object({ source: lotSource, granted: v.number(), remaining: v.number(), expiresAt: instant })),
  }),
  /** Holds of running calls, earliest expiry first. Their credits are released at `expiresAt`. */
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
  /** Shared organizations of the person, which a suspension of the account does not suspend. */
  organizations: v.array(
    v.object({
      id: accountId,
      name: v.string(),
      role: v.picklist(organizationRoles),
      status: v.picklist(['active', 'suspended']),
    }),
  ),
  /** The current billing month with its charges. */
  period: v.object({ from: instant, to: instant }),
  used: v.array(v.object({ service: v.string(), credits: v.number() })),
});

const body = 'must be a JSON object';

/** Reason for an operator's action, stored with the audit event. */
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
/** Whole credits, valid for three months. */
export const CreditGrant = v.object({ credits: integer(1, 1_000_000), reason }, body);

/**
 * Actions of operators, the owner's `accept_terms` and `require_second_factor`, and members' `store_content` and
 * `read_content` of a key. Only `bin/operator.ts` can do `set_role`, `clear_hold` and `unblock_mail`.
 */
const auditActions = [
  'suspend',
  'resume',
  'suspend_key',
  'assign_plan',
  'grant_credits',
  'set_role',
  'clear_hold',
  'unblock_mail',
  'accept_terms',
  'store_content',
  'read_content',
  'require_second_factor',
] as const;
export type AuditAction = (typeof auditActions)[number];
export const AuditAction = v.picklist(auditActions);

/** The part of an account that an action changes, before or after it. */
export const AuditedState = v.object({
  status: v.exactOptional(v.picklist(['active', 'suspended'])),
  plan: v.exactOptional(v.string()),
  subscription: v.exactOptional(v.picklist(['active', 'cancelled', 'none'])),
  /** Balance including held credits, with six decimals. */
  credits: v.exactOptional(v.number()),
  keyId: v.exactOptional(v.string()),
  key: v.exactOptional(v.string()),
  role: v.exactOptional(v.string()),
  termsVersion: v.exactOptional(v.number()),
  contentDays: v.exactOptional(v.nullable(v.number())),
  /** The request whose prompt and response were read. */
  contentOf: v.exactOptional(v.string()),
  /** Payments that block purchases. */
  holds: v.exactOptional(v.number()),
  mail: v.exactOptional(v.picklist(['blocked', 'open'])),
  secondFactor: v.exactOptional(v.picklist(['required', 'optional'])),
});
export type AuditedState = v.InferOutput<typeof AuditedState>;

/** `accountId` restricts the list to one account. `cursor` is the `nextCursor` of the previous page. */
export const AuditQuery = v.object({
  accountId: v.optional(idInText),
  cursor: v.optional(v.pipe(text(64), v.regex(/^\d{15}#\w+$/, 'must be the nextCursor of the previous page'))),
  limit: v.optional(
    v.pipe(v.string(), v.regex(/^(?:[1-9]\d?|100)$/, 'must be a number from 1 to 100'), v.transform(Number)),
    '50',
  ),
});

/** The account of an event. `email` is the current address, or null after the account is purged. */
const NamedAccount = v.object({ id: accountId, email: v.nullable(v.string()) });

/** An operator's action, with its actor, reason and changes. `by` is null for actions with `bin/operator.ts`. */
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

/** Maximum emails shown, newest first. */
export const shownMails = 20;

const mailStates = ['waiting', 'sent', 'bounced', 'complained', 'rejected', 'suppressed', 'expired'] as const;
export type MailState = (typeof mailStates)[number];

/**
 * Emails about an account, newest first. `sent`: SES accepted it. `bounced`: sent, and permanently refused by the
 * recipient's server. `complained`: reported as spam. `rejected`: SES rejected it. `suppressed`: not sent, because an
 * earlier email to the address bounced or was reported as spam. `expired`: discarded after a week of failed attempts.
 * `suppression`: whether the current address is suppressed.
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

/** `at` in epoch ms. `by`: the account of the operator or member; absent for `bin/operator.ts`. */
export interface AuditEvent {
  readonly accountId: number;
  readonly action: AuditAction;
  readonly by?: number;
  /** `by` is a member of the account's organization, who needs no role of an operator. */
  readonly isMember?: true;
  readonly reason: string;
  readonly at: number;
  readonly requestId: string;
  readonly before: AuditedState;
  readonly after: AuditedState;
}

/** One state per account: the first that applies. `past_due`: the running month of the plan is unpaid. */
export const accountStates = ['deleted', 'suspended', 'past_due', 'unconfirmed', 'active'] as const;
export type AccountState = (typeof accountStates)[number];

/** Orders of the list, all descending. */
export const accountOrders = ['newest', 'spending', 'balance'] as const;
export type AccountOrder = (typeof accountOrders)[number];

/** Days for which an account counts as new. */
export const newDays = 7;

/** `since`: a day in UTC. `cursor` is the `nextCursor` of the previous page. */
export const DirectoryQuery = v.pipe(
  v.object({
    plan: v.optional(
      v.picklist(
        planListing.map(({ name }) => name),
        'must name a plan',
      ),
    ),
    state: v.optional(v.picklist(accountStates, `must be one of ${accountStates.join(', ')}`)),
    since: v.optional(day),
    sort: v.optional(v.picklist(accountOrders, `must be one of ${accountOrders.join(', ')}`), 'newest'),
    cursor: v.optional(v.pipe(text(64), v.regex(/^\d{20}#\d{16}$/, 'must be the nextCursor of the previous page'))),
    limit: v.optional(
      v.pipe(v.string(), v.regex(/^(?:[1-9]\d?|100)$/, 'must be a number from 1 to 100'), v.transform(Number)),
      '50',
    ),
  }),
  v.check(({ since, sort }) => since === undefined || sort === 'newest', 'must not have since unless sort is newest'),
);

/** `spent` in the billing month and `balance`, including held credits, have six decimals. */
const ListedAccount = v.object({
  id: accountId,
  email: v.pipe(v.nullable(v.string()), v.description('Null for a shared organization.')),
  name: v.string(),
  state: v.picklist(accountStates),
  plan: v.string(),
  created_at: instant,
  spent: v.number(),
  balance: v.number(),
});

/** `new`: registered in the last 7 days. `active`: with charges in its billing month. `failing`: past due. */
export const DirectoryTotals = v.object({
  accounts: whole,
  new: whole,
  active: whole,
  failing: whole,
  spent: v.number(),
  states: v.object(v.entriesFromList(accountStates, whole)),
});
export type DirectoryTotals = v.InferOutput<typeof DirectoryTotals>;

/**
 * Accounts and totals as of `updatedAt`, the last complete update, or null before the first. `nextUpdateAt`: start of
 * the next update.
 */
export const DirectoryPage = v.object({
  accounts: v.array(ListedAccount),
  nextCursor: v.nullable(v.string()),
  totals: v.nullable(DirectoryTotals),
  updatedAt: v.nullable(instant),
  nextUpdateAt: instant,
});
