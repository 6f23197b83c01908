import * as v from 'valibot';
import { planFeatures } from '../offer/offer.ts';
import { instant, text, whole } from '../shared/fields.ts';
import { planListing } from './plans.ts';

const body = 'must be a JSON object';

export const PlanList = v.object({
  plans: v.array(
    v.object({
      id: whole,
      name: v.string(),
      price: v.nullable(v.number()),
      quota_limit: v.nullable(whole),
      rate_limit: v.nullable(whole),
    }),
  ),
  packs: v.optional(
    v.pipe(
      v.array(v.object({ id: v.string(), credits: whole, price: v.number() })),
      v.description('Credits that can be bought once, with their price in USD. Absent if none are sold.'),
    ),
  ),
});

const planIds: readonly string[] = planListing.flatMap(({ id, name }) => [name, String(id)]);

/** Name of a plan, or its id as a string. */
export const planId = v.pipe(
  v.picklist(planIds, 'must be the name of a plan, or its id as a string'),
  v.description("A plan's name, or its id as a string."),
);

export const NewSubscription = v.object({ planId, billingCycle: v.literal('monthly', 'must be monthly') }, body);
export const PlanChange = v.object({ newPlanId: planId }, body);
export const PlanQuery = v.object({ newPlanId: planId }, 'must have a newPlanId');
export const SubscriptionPath = v.object({ id: text(64) });

/**
 * The specification's Subscription. The last three fields are present while a downgrade or cancellation is scheduled.
 */
export const Subscription = v.object({
  id: v.string(),
  planId: v.string(),
  status: v.picklist(['active', 'cancelled']),
  monthlyCredits: whole,
  creditsUsed: whole,
  nextBillingDate: v.pipe(v.string(), v.isoDate()),
  price: v.number(),
  pendingPlanId: v.optional(v.pipe(v.string(), v.description('The plan as of the next billing cycle.'))),
  endsAt: v.optional(v.pipe(instant, v.description('If cancelled: when the paid period ends.'))),
  creditsExpireAt: v.optional(v.pipe(instant, v.description('If cancelled: when the credits expire.'))),
  paidUntil: v.optional(
    v.pipe(instant, v.description('Present if the plan is charged. An operator can assign one free of charge.')),
  ),
  pastDue: v.optional(
    v.pipe(
      v.object({
        since: instant,
        endsAt: instant,
        reason: v.pipe(
          v.picklist(['payment_due', 'payment_returned']),
          v.description('The renewal is not paid, or the payment of the month was refunded or disputed.'),
        ),
      }),
      v.description('Present if the current month is past due. The plan ends at `endsAt` unless it is paid.'),
    ),
  ),
  renewalPendingSince: v.optional(
    v.pipe(
      instant,
      v.description('Present while the renewal is being charged, usually for an hour: when its month began.'),
    ),
  ),
  terms: v.optional(
    v.pipe(
      v.object({
        callsPerMonth: v.nullable(whole),
        callsPerMinute: v.nullable(whole),
        maxConcurrentCalls: whole,
        features: v.array(v.picklist(planFeatures)),
      }),
      v.description('Present if the plan is sold on other terms now. `price`, `monthlyCredits` and these are kept.'),
    ),
  ),
  replacement: v.optional(
    v.pipe(
      v.object({ planId: v.string(), from: instant }),
      v.description('Present if the plan ends: the plan that replaces it, and the renewal from which it applies.'),
    ),
  ),
});

/** Cost of an upgrade for the rest of the billing period: `amount` in USD, and the `credits` added immediately. */
export const Proration = v.object({ amount: v.number(), credits: whole, from: instant, to: instant });

export const UpgradedSubscription = v.object({ ...Subscription.entries, proration: Proration });

/** Subscribing during the paid month of a cancelled subscription may be an upgrade of it. */
export const CreatedSubscription = v.object({
  ...Subscription.entries,
  proration: v.optional(
    v.pipe(
      Proration,
      v.description('Present if the plan is larger than the cancelled one, whose paid period has not ended.'),
    ),
  ),
});

export const CurrentSubscription = v.nullable(Subscription);
