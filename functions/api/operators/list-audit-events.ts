import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listAuditEvents: Operation<typeof operatorRoutes.listAuditEvents> = async ({ operators }, { input }) =>
  (await operators()).trail().list(input.query);

export const handler = endpoint(operatorRoutes.listAuditEvents, listAuditEvents);
