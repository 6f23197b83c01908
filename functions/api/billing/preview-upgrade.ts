import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const previewUpgrade: Operation<typeof subscriptionRoutes.previewUpgrade> = ({ subscriptions }, { input, caller }) =>
  subscriptions().preview(caller.accountId, input.query.newPlanId);

export const handler = endpoint(subscriptionRoutes.previewUpgrade, previewUpgrade);
