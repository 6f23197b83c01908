import { soldPlans } from '#contract/billing/plans.ts';
import { packPrices } from '#contract/offer/current-offer.ts';
import type { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import type { Operation } from '#runtime/operation.ts';

export const cancelSubscription: Operation<typeof subscriptionRoutes.cancelSubscription> = (
  { subscriptions },
  { input, caller },
) => subscriptions().cancel(caller.accountId, input.path.id);

export const createSubscription: Operation<typeof subscriptionRoutes.createSubscription> = (
  { subscriptions },
  { input, caller },
) => subscriptions().create(caller.accountId, input.body.planId);

export const downgradePlan: Operation<typeof subscriptionRoutes.downgradePlan> = (
  { subscriptions },
  { input, caller },
) => subscriptions().downgrade(caller.accountId, input.body.newPlanId);

export const getSubscription: Operation<typeof subscriptionRoutes.getSubscription> = ({ subscriptions }, { caller }) =>
  subscriptions().current(caller.accountId);

export const listPlans: Operation<typeof subscriptionRoutes.listPlans> = ({ sellsCredits }) => ({
  plans: [...soldPlans],
  ...(sellsCredits && { packs: packPrices }),
});

export const previewUpgrade: Operation<typeof subscriptionRoutes.previewUpgrade> = (
  { subscriptions },
  { input, caller },
) => subscriptions().preview(caller.accountId, input.query.newPlanId);

export const resumeSubscription: Operation<typeof subscriptionRoutes.resumeSubscription> = (
  { subscriptions },
  { input, caller },
) => subscriptions().resume(caller.accountId, input.path.id);

export const upgradePlan: Operation<typeof subscriptionRoutes.upgradePlan> = ({ subscriptions }, { input, caller }) =>
  subscriptions().upgrade(caller.accountId, input.body.newPlanId);
