import { KeyList, KeyRecord } from '../accounts/keys.ts';
import { LedgerPage, LedgerQuery } from '../billing/credits.ts';
import { defineRoute, type Route } from '../http/route.ts';
import {
  DirectoryPage,
  DirectoryQuery,
  AccountDetails,
  AccountKeyPath,
  AccountPath,
  AccountQuery,
  AuditPage,
  AuditQuery,
  CreditGrant,
  MailList,
  OperatedAccount,
  OperatorAction,
  PlanAssignment,
} from '../operators/operators.ts';
import { PaymentList, PaymentQuery } from '../payments/payments.ts';
import { RequestList, RequestQuery } from '../requests/request-list.ts';
import { WebhookList } from '../webhooks/webhooks.ts';

/** Requires a session with the role of an operator. */
const operators = { credential: 'session', access: 'person', role: 'operator' } as const;

const list = { ...operators, method: 'GET', pathInput: AccountPath, refusals: ['NOT_FOUND'] } as const;

/** The action and its audit event are one write. Audit events never change. */
const action = {
  ...operators,
  idempotent: true,
  refusals: ['NOT_FOUND', 'INVALID_STATE'],
  uses: { tables: { accounts: 'write', meters: 'write', audit: 'add', idempotency: 'delete' } },
} as const;

/** An action that affects later charges. */
const charging = {
  ...action,
  uses: { tables: { ...action.uses.tables, payments: 'write' }, payments: true },
} as const;

export const operatorRoutes = {
  findAccount: defineRoute({
    ...operators,
    id: 'find-account',
    method: 'GET',
    path: '/api/operator/accounts',
    summary: 'Find an account',
    note: 'Finds it by its email address, its id or the beginning of one of its keys.',
    queryInput: AccountQuery,
    output: OperatedAccount,
    refusals: ['NOT_FOUND'],
    uses: { tables: { accounts: 'write', meters: 'write' } },
  }),
  listAccounts: defineRoute({
    ...operators,
    id: 'list-accounts',
    method: 'GET',
    path: '/api/operator/directory',
    summary: 'List accounts',
    note: 'Sorted descending, with totals. The list is updated every hour.',
    queryInput: DirectoryQuery,
    output: DirectoryPage,
    uses: { tables: { accounts: 'write', meters: 'read', directory: 'read' } },
  }),
  getAccount: defineRoute({
    ...list,
    id: 'get-account',
    path: '/api/operator/accounts/{id}',
    summary: 'Get an account',
    note: 'Includes its plan, credits, holds and rate.',
    output: AccountDetails,
    uses: { tables: { accounts: 'write', meters: 'write' } },
  }),
  listAccountEntries: defineRoute({
    ...list,
    id: 'list-account-entries',
    path: '/api/operator/accounts/{id}/entries',
    summary: 'List the ledger of an account',
    note: 'Newest first.',
    queryInput: LedgerQuery,
    output: LedgerPage,
    uses: { tables: { accounts: 'write', meters: 'read', ledger: 'read' }, archive: 'read' },
  }),
  listAccountKeys: defineRoute({
    ...list,
    id: 'list-account-keys',
    path: '/api/operator/accounts/{id}/keys',
    summary: 'List the keys of an account',
    note: 'Shown as their owner sees them.',
    output: KeyList,
    uses: { tables: { accounts: 'write', meters: 'read' } },
  }),
  listAccountMails: defineRoute({
    ...list,
    id: 'list-account-mails',
    path: '/api/operator/accounts/{id}/mails',
    summary: 'List the emails of an account',
    note: 'The newest emails with their delivery status, without their text.',
    output: MailList,
    uses: { tables: { accounts: 'write', meters: 'read' } },
  }),
  listAccountRequests: defineRoute({
    ...list,
    id: 'list-account-requests',
    path: '/api/operator/accounts/{id}/requests',
    summary: 'List the requests of an account',
    note: 'Priced requests of the last 30 days, as their owner sees them.',
    queryInput: RequestQuery,
    output: RequestList,
    uses: { tables: { accounts: 'write', meters: 'read', requests: 'read' } },
  }),
  listAccountPayments: defineRoute({
    ...list,
    id: 'list-account-payments',
    path: '/api/operator/accounts/{id}/payments',
    summary: 'List the payments of an account',
    note: 'Newest first.',
    queryInput: PaymentQuery,
    output: PaymentList,
    uses: { tables: { accounts: 'write', meters: 'read', payments: 'read' } },
  }),
  listAccountWebhooks: defineRoute({
    ...list,
    id: 'list-account-webhooks',
    path: '/api/operator/accounts/{id}/webhooks',
    summary: 'List the webhooks of an account',
    note: 'With the time since which they have been failing. All are listed, at most 10.',
    output: WebhookList,
    uses: { tables: { accounts: 'write', meters: 'read', webhooks: 'read' } },
  }),
  suspendAccount: defineRoute({
    ...charging,
    id: 'suspend-account',
    method: 'POST',
    path: '/api/operator/accounts/{id}/suspend',
    summary: 'Suspend an account',
    note: 'Its keys and sessions stop working immediately. Its plan is not charged until the account is resumed.',
    pathInput: AccountPath,
    bodyInput: OperatorAction,
    output: OperatedAccount,
  }),
  resumeAccount: defineRoute({
    ...charging,
    id: 'resume-account',
    method: 'POST',
    path: '/api/operator/accounts/{id}/resume',
    summary: 'Resume a suspended account',
    pathInput: AccountPath,
    bodyInput: OperatorAction,
    output: OperatedAccount,
  }),
  assignPlan: defineRoute({
    ...charging,
    id: 'assign-plan',
    method: 'PUT',
    path: '/api/operator/accounts/{id}/plan',
    summary: 'Assign a plan to an account',
    note: 'Any plan, including those that are not self-serve.',
    pathInput: AccountPath,
    bodyInput: PlanAssignment,
    output: OperatedAccount,
  }),
  grantCredits: defineRoute({
    ...action,
    id: 'grant-credits',
    method: 'POST',
    path: '/api/operator/accounts/{id}/credits',
    summary: 'Grant credits',
    note: 'They expire after three months. A balance of a plan without a limit stays unlimited.',
    pathInput: AccountPath,
    bodyInput: CreditGrant,
    output: OperatedAccount,
  }),
  suspendKey: defineRoute({
    ...action,
    id: 'suspend-key',
    method: 'POST',
    path: '/api/operator/accounts/{id}/keys/{keyId}/suspend',
    summary: 'Suspend a key of an account',
    note: 'This is permanent: its owner can only revoke it.',
    pathInput: AccountKeyPath,
    bodyInput: OperatorAction,
    output: KeyRecord,
  }),
  listAuditEvents: defineRoute({
    ...operators,
    id: 'list-audit-events',
    method: 'GET',
    path: '/api/operator/audit',
    summary: 'List the audit trail',
    note: 'Actions of operators on one account or on all, newest first.',
    queryInput: AuditQuery,
    output: AuditPage,
    uses: { tables: { accounts: 'write', meters: 'read', audit: 'read' } },
  }),
} as const satisfies Record<string, Route>;
