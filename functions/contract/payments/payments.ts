import * as v from 'valibot';
import { planId } from '../billing/subscriptions.ts';
import { offeredPacks } from '../offer/current-offer.ts';
import { instant, integer, pageSize, text, whole } from '../shared/fields.ts';

export const currency = 'usd';

/** Credits of a pack expire at the end of the UTC month that is this many months after the purchase. */
export const packMonths = 12;

/** A pack with its price in cents. */
export interface PricedPack {
  readonly id: string;
  readonly credits: number;
  readonly cents: number;
}

export const cents = (priceUsd: number): number => Math.round(priceUsd * 100);

export const packs: readonly PricedPack[] = offeredPacks.map(({ id, credits, priceUsd }) => {
  return { id, credits, cents: cents(priceUsd) };
});

export const findPack = (id: string): PricedPack | undefined => packs.find((pack) => pack.id === id);

/** The packs of `GET /payments/packs`. */
export const packList = packs.map(({ id, credits, cents }) => {
  return { id, credits, amount: cents, currency, validMonths: packMonths } as const;
});

export const orderKinds = ['pack', 'plan', 'upgrade', 'top_up', 'renewal'] as const;
export type OrderKind = (typeof orderKinds)[number];

/**
 * `created`: not paid yet. `action_required`: the buyer must authenticate the payment. `paid`: the payment succeeded,
 * but the credits or the plan are not granted yet. `granted`: the credits or the plan were granted.
 */
export const orderStates = [
  'created',
  'action_required',
  'paid',
  'granted',
  'failed',
  'expired',
  'refunded',
  'disputed',
] as const;
export type OrderState = (typeof orderStates)[number];

const amount = v.pipe(whole, v.description('Cents, without taxes.'));
const money = { amount, currency: v.literal(currency) };

export const PackList = v.object({
  items: v.array(
    v.object({
      id: v.string(),
      credits: whole,
      ...money,
      validMonths: v.pipe(
        whole,
        v.description('The credits expire at the end of the month (UTC) this many months on.'),
      ),
    }),
  ),
});

const packId = v.picklist(
  packs.map(({ id }) => id),
  'must be an id from GET /payments/packs',
);

export const NewCheckout = v.pipe(
  v.object({ pack: v.optional(packId), planId: v.optional(planId) }, 'must be a JSON object'),
  v.check(
    ({ pack, planId }) => (pack === undefined) !== (planId === undefined),
    'must have either pack or planId, not both',
  ),
);

const PaymentId = v.string();

export const Checkout = v.object({
  id: PaymentId,
  url: v.pipe(v.string(), v.url(), v.description('The checkout page.')),
  status: v.picklist(orderStates),
  kind: v.picklist(orderKinds),
  credits: whole,
  ...money,
  expiresAt: instant,
});

export const Payment = v.object({
  id: PaymentId,
  kind: v.picklist(orderKinds),
  status: v.picklist(orderStates),
  credits: whole,
  ...money,
  planId: v.optional(v.pipe(v.string(), v.description('Present for plans, upgrades and renewals.'))),
  url: v.optional(
    v.pipe(v.string(), v.url(), v.description('Present while the payment is open: the checkout or invoice page.')),
  ),
  receiptUrl: v.nullable(v.string()),
  invoiceUrl: v.nullable(v.string()),
  createdAt: instant,
  paidAt: v.nullable(instant),
  refundedAmount: v.pipe(whole, v.description('Cents that were refunded or are disputed.')),
});

export const PaymentQuery = v.object({
  cursor: v.optional(v.pipe(text(64), v.regex(/^ord_\w{20}$/, 'must be the nextCursor of the previous page'))),
  limit: v.optional(pageSize, '50'),
});

export const PaymentList = v.object({ items: v.array(Payment), nextCursor: v.nullable(v.string()) });

export const PaymentPath = v.object({ id: text(64) });

export const Portal = v.object({ url: v.pipe(v.string(), v.url()) });

const TopUpRule = {
  threshold: v.pipe(
    integer(1, 1_000_000_000),
    v.description('Credits. A purchase starts when the balance falls below.'),
  ),
  pack: packId,
  monthlyLimit: v.pipe(integer(1, 100_000_000), v.description('Cents a month (UTC).')),
};

/** `null` switches automatic top-up off. */
export const AutoTopUpChange = v.nullable(v.object(TopUpRule, 'must be a JSON object or null'));

const topUpStates = ['on', 'off', 'action_required'] as const;
export const topUpFailures = [
  'declined',
  'action_required',
  'no_card',
  'monthly_limit',
  'unavailable',
  'returned',
] as const;

const Card = v.object({ brand: v.string(), last4: v.string(), expMonth: whole, expYear: whole });

export const AutoTopUp = v.object({
  state: v.picklist(topUpStates),
  threshold: v.nullable(whole),
  pack: v.nullable(v.string()),
  monthlyLimit: v.nullable(whole),
  lastFailure: v.nullable(v.object({ reason: v.picklist(topUpFailures), at: instant })),
  card: v.pipe(v.nullable(Card), v.description('The saved card, which pays for it.')),
});

/** A message of the payments queue. */
export const PaymentWork = v.variant('do', [
  v.object({ do: v.literal('event'), id: v.string() }),
  v.object({ do: v.literal('top-up'), accountId: whole }),
  v.object({ do: v.literal('order'), accountId: whole, id: v.string() }),
  v.object({ do: v.literal('account'), accountId: whole }),
]);
export type PaymentWork = v.InferOutput<typeof PaymentWork>;
