import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const previewUpgrade: Operation<typeof routes.previewUpgrade> = ({ subscriptions }, { input, caller }) =>
  subscriptions().preview(caller.accountId, input.query.newPlanId);

export const handler = endpoint(routes.previewUpgrade, previewUpgrade);
