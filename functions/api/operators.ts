import type { operatorRoutes } from '#contract/routes/operators.ts';
import type { Operation, OperationCall } from '#runtime/operation.ts';

export const assignPlan: Operation<typeof operatorRoutes.assignPlan> = async ({ operators }, call) =>
  (await operators()).actions().assignPlan(call.input.path.id, call.input.body.planId, actionBy(call));

export const findAccount: Operation<typeof operatorRoutes.findAccount> = async ({ operators }, { input }) =>
  (await operators()).search().find(input.query);

export const getAccount: Operation<typeof operatorRoutes.getAccount> = async ({ operators }, { input }) =>
  (await operators()).reads().details(input.path.id);

export const grantCredits: Operation<typeof operatorRoutes.grantCredits> = async ({ operators }, call) =>
  (await operators()).actions().grant(call.input.path.id, call.input.body.credits, actionBy(call));

export const listAccountEntries: Operation<typeof operatorRoutes.listAccountEntries> = async (
  { operators },
  { input },
) => (await operators()).reads().entries(input.path.id, input.query);

export const listAccountKeys: Operation<typeof operatorRoutes.listAccountKeys> = async ({ operators }, { input }) =>
  (await operators()).reads().keys(input.path.id);

export const listAccountMails: Operation<typeof operatorRoutes.listAccountMails> = async ({ operators }, { input }) =>
  (await operators()).reads().mails(input.path.id);

export const listAccountRequests: Operation<typeof operatorRoutes.listAccountRequests> = async (
  { operators },
  { input },
) => (await operators()).reads().requests(input.path.id, input.query);

export const listAccountPayments: Operation<typeof operatorRoutes.listAccountPayments> = async (
  { operators },
  { input },
) => (await operators()).reads().payments(input.path.id, input.query);

export const listAccountWebhooks: Operation<typeof operatorRoutes.listAccountWebhooks> = async (
  { operators },
  { input },
) => (await operators()).reads().webhooks(input.path.id);

export const listAccounts: Operation<typeof operatorRoutes.listAccounts> = async ({ operators }, { input }) =>
  (await operators()).directory().list(input.query);

export const listAuditEvents: Operation<typeof operatorRoutes.listAuditEvents> = async ({ operators }, { input }) =>
  (await operators()).trail().list(input.query);

export const resumeAccount: Operation<typeof operatorRoutes.resumeAccount> = async ({ operators }, call) =>
  (await operators()).actions().resume(call.input.path.id, actionBy(call));

export const suspendAccount: Operation<typeof operatorRoutes.suspendAccount> = async ({ operators }, call) =>
  (await operators()).actions().suspend(call.input.path.id, actionBy(call));

export const suspendKey: Operation<typeof operatorRoutes.suspendKey> = async ({ operators }, call) =>
  (await operators()).actions().suspendKey(call.input.path.id, call.input.path.keyId, actionBy(call));

type Action = OperationCall<typeof operatorRoutes.suspendAccount>;

const actionBy = ({
  caller,
  input,
  requestId,
}: Pick<Action, 'caller' | 'requestId'> & { readonly input: Pick<Action['input'], 'body'> }) => ({
  by: caller.accountId,
  reason: input.body.reason,
  requestId,
});
