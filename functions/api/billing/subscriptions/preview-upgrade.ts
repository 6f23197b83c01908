import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const previewUpgrade: Operation<typeof subscriptionRoutes.previewUpgrade> = ({ subscriptions }, { input, caller }) =>
  subscriptions().preview(caller.accountId, input.query.newPlanId);

export const handler = endpoint(subscriptionRoutes.previewUpgrade, previewUpgrade);
