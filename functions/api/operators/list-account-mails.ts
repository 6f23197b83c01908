import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listAccountMails: Operation<typeof operatorRoutes.listAccountMails> = async ({ operators }, { input }) =>
  (await operators()).reads().mails(input.path.id);

export const handler = endpoint(operatorRoutes.listAccountMails, listAccountMails);
