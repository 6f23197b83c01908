import * as v from 'valibot';
import { accountId, instant, text } from '../shared/fields.ts';
import { idInText } from './accounts.ts';

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
