import { findPlan, smallestWith } from '#contract/billing/plans.ts';
import type { PlanFeature } from '#contract/offer/offer.ts';
import { isSold, type Service } from '#contract/offered-services.ts';
import { useNow } from './config.ts';
import { useSubscription } from './reads.ts';

/** Whether the account's plan includes a feature. A cancelled plan does until its paid period ends. Undefined while loading. */
export function useHasFeature(feature: PlanFeature, { enabled = true } = {}): boolean | undefined {
  const { data: subscription } = useSubscription({ enabled });
  const now = useNow();
  if (subscription === undefined) return undefined;
  if (subscription === null) return false;
  const { planId, endsAt, terms } = subscription;
  const isOver = endsAt !== undefined && Date.parse(endsAt) <= now;
  const isKept = terms?.features.includes(feature) ?? false;
  return !isOver && (isKept || (findPlan(planId)?.rank ?? 0) >= smallestWith[feature].id);
}

/** Services that are sold, or that the plan of a signed-in account still includes. */
export function useIsOffered(isMember: boolean): (service: Service) => boolean {
  // Only a plan on older terms can have a feature that is not sold.
  const hasMessages = useHasFeature('messages', { enabled: isMember && !isSold.messages });
  const hasWebhooks = useHasFeature('webhooks', { enabled: isMember && !isSold.webhooks });
  const has: Readonly<Partial<Record<Service, boolean | undefined>>> = isMember
    ? { messages: hasMessages, webhooks: hasWebhooks }
    : {};
  return (service) => isSold[service] || has[service] === true;
}
