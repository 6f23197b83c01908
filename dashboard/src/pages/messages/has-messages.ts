import { findPlan, messagesPlan } from '#contract/billing/plans.ts';
import { useNow } from '../../api/clock.ts';
import { useSubscription } from '../../api/reads.ts';

/** Whether the plan has messages; a cancelled one has them until its paid period ends. Undefined until it is known. */
export function useHasMessages(): boolean | undefined {
  const { data: subscription } = useSubscription();
  const now = useNow();
  if (subscription === undefined) return undefined;
  if (subscription === null) return false;
  const { planId, endsAt } = subscription;
  const isOver = endsAt !== undefined && Date.parse(endsAt) <= now;
  return !isOver && (findPlan(planId)?.rank ?? 0) >= messagesPlan.id;
}
