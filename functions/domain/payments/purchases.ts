import { findPlan, isSameTerms, type PlanLimits, planOfRank, type Plans, titleOf } from '#contract/billing/plans.ts';
import { cents, currency, findPack, type PricedPack } from '#contract/payments/payments.ts';
import { hourMs, iso } from '#contract/shared/time.ts';
import type { Account } from '../accounts/account.ts';
import { alreadySubscribed, isMonthRunning, type Proration } from '../billing/subscription-changes.ts';
import { isSubscribed, type Meter } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import { planOfMeter } from '../meter/periods.ts';
import { accountBusy, ServiceError, unknownAccount } from '../shared/service-error.ts';
import { type ChargeParts, charges, type Goods, onHold, unavailable } from './charges.ts';
import { creditsTitle, isOpen, monthTerms, type Order, paymentView, upgradeTitle } from './order.ts';
import type { Buyer } from './provider.ts';

/** Milliseconds in which a checkout can be paid. Stripe's minimum is 30 minutes. */
const checkoutMs = hourMs;

const maxTries = 8;

export interface PurchaseParts extends ChargeParts {
  readonly metering: Metering;
  readonly plans: Plans;
  readonly findAccount: (accountId: number) => Promise<Account | undefined>;
  readonly enforceCheckoutLimit: (accountId: number) => Promise<void>;
  /** Counts requests that call the provider. Returns the seconds to wait, or 0. */
  readonly takeProviderCall: (accountId: number) => Promise<number>;
  readonly publicOrigin: string;
}

export type Purchases = ReturnType<typeof purchases>;

/** Sells packs and plans. */
export function purchases(parts: PurchaseParts) {
  const {
    store,
    provider,
    settlement,
    metering,
    plans,
    findAccount,
    enforceCheckoutLimit,
    takeProviderCall,
    publicOrigin,
    clock,
  } = parts;
  const { charge, newOrder, blocksOf, isBlocked, requireCard } = charges(parts);

  async function checkout(accountId: number, chosen: { pack?: string | undefined; planId?: string | undefined }) {
    const goods =
      chosen.planId === undefined ? packGoods(chosen.pack ?? '') : await planGoods(accountId, chosen.planId);
    await enforceCheckoutLimit(accountId);
    if ((await blocksOf(accountId)).isHeld) throw onHold();
    const customer = await customerOf(accountId);
    const now = clock.now();
    const order = { ...newOrder(accountId, goods, now), expiresAt: now + checkoutMs };
    await store.add(order);
    const back = `${publicOrigin}/billing?payment=${order.id}`;
    const request = { customer, title: goods.title, successUrl: back, cancelUrl: `${back}&cancelled=1` };
    const { session, url } = await provider.openCheckout(order, request).catch(unavailable);
    // Not saved if an event came first, or if the database repeated the write.
    const opened = (await store.save(order, { provider: { session }, url })) ?? (await store.find(order)) ?? order;
    const { amount, credits, kind, id, status } = paymentView(opened);
    const expiresAt = iso(now + checkoutMs);
    return { id, url, status, kind, credits, amount, currency, expiresAt } as const;
  }

  function packGoods(id: string): Goods {
    const pack = findPack(id);
    if (!pack) throw unknownGoods('pack', 'GET /payments/packs');
    return packOrder(pack, 'pack');
  }

  async function planGoods(accountId: number, planId: string): Promise<Goods> {
    const plan = findPlan(planId);
    if (!plan) throw unknownGoods('planId', 'GET /subscription/plans');
    if (!plan.isSold || plan.price === null) {
      throw new ServiceError('INSUFFICIENT_PERMISSIONS', `The ${plan.name} plan is not self-serve. Contact sales.`);
    }
    if (plan.price === 0) {
      throw new ServiceError('INVALID_STATE', 'The plan is free. Subscribe with POST /subscription/create.');
    }
    const meter = await metering.current(accountId, clock.now());
    if (isSubscribed(meter)) throw alreadySubscribed();
    if (isMonthRunning(meter, Math.floor(clock.now() / 1000))) {
      throw new ServiceError(
        'INVALID_STATE',
        'The paid month of the cancelled plan is running. Continue it with POST /subscription/create.',
      );
    }
    return planOrder(plan);
  }

  async function get(accountId: number, id: string) {
    const order = await store.find({ accountId, id });
    if (!order) throw new ServiceError('NOT_FOUND', 'There is no such payment.');
    const isFinal = !isOpen(order) && order.state !== 'paid';
    if (isFinal || (await takeProviderCall(accountId)) > 0) return paymentView(order);
    return paymentView(await settlement.settle(order).catch(unavailable));
  }

  async function page(accountId: number, query: { readonly limit: number; readonly cursor: string | undefined }) {
    const { items, next } = await store.page(accountId, query);
    return { items: items.map(paymentView), nextCursor: next };
  }

  async function portal(accountId: number) {
    await refuseTooMany(accountId);
    const customer = await customerOf(accountId);
    return { url: await provider.portal(customer, `${publicOrigin}/billing`).catch(unavailable) };
  }

  /** Charges the first month of a plan to the saved card. Returns once it is granted. */
  async function subscribe(accountId: number, plan: PlanLimits): Promise<void> {
    const refuseSubscribed = async (): Promise<void> => void (await planGoods(accountId, plan.name));
    const start = (order: Order, buyer: Buyer) => provider.startPlan(order, buyer, titleOf(plan));
    await charge(accountId, planOrder(plan), start, refuseSubscribed);
  }

  /** Charges an upgrade to the saved card. Returns once it is granted. */
  async function upgrade(
    accountId: number,
    meter: Meter,
    plan: PlanLimits,
    { amount, credits }: Proration,
  ): Promise<void> {
    const { anchor, index } = meter.period;
    const [from, month] = [monthTerms(planOfMeter(meter, plans)), monthTerms(plan)];
    const terms = { anchor, index, fromRank: meter.planRank, credits, resumes: !isSubscribed(meter), month, from };
    const title = upgradeTitle(plan);
    const goods = { kind: 'upgrade', cents: cents(amount), credits, planId: plan.name, title, upgrade: terms } as const;
    const refuseChanged = async (): Promise<void> => {
      const current = await metering.current(accountId, clock.now());
      const isSameMonth = current.period.anchor === anchor && current.period.index === index;
      const [before, now] = [meter, current].map((one) => planOfMeter(one, planOfRank));
      const isSamePlan = before && now && before.rank === now.rank && isSameTerms(before, now);
      if (!isSameMonth || !isSamePlan) throw accountBusy();
    };
    await charge(accountId, goods, (order, buyer) => provider.chargeInvoice(order, buyer, title), refuseChanged);
  }

  /** Buys a pack with the saved card. */
  async function topUp(accountId: number, pack: PricedPack, check: () => Promise<void>): Promise<Order> {
    const goods = packOrder(pack, 'top_up');
    return charge(accountId, goods, (order, buyer) => provider.chargeInvoice(order, buyer, goods.title), check);
  }

  async function refuseTooMany(accountId: number): Promise<void> {
    const retryAfterSeconds = await takeProviderCall(accountId);
    if (retryAfterSeconds === 0) return;
    const detail = `Too many payment requests; try again in ${retryAfterSeconds} s.`;
    throw new ServiceError('RATE_LIMIT_EXCEEDED', detail, { retryAfterSeconds });
  }

  /** Replaces a customer that was deleted at the provider. */
  async function customerOf(accountId: number): Promise<string> {
    for (let tries = 0; tries < maxTries; tries++) {
      const profile = await store.profile(accountId);
      const { customer: earlier } = profile;
      if (earlier !== undefined && (await provider.hasCustomer(earlier).catch(unavailable))) return earlier;
      const account = await findAccount(accountId);
      if (!account) throw unknownAccount();
      if (account.confirmedAt === undefined) {
        throw new ServiceError('ACCOUNT_NOT_CONFIRMED', 'Confirm your email address first.');
      }
      const customer = await provider.createCustomer(accountId, account.email, earlier).catch(unavailable);
      if (await store.saveCustomer(profile, customer)) return customer;
    }
    throw accountBusy();
  }

  return { checkout, get, page, portal, subscribe, upgrade, topUp, requireCard, refuseTooMany, isBlocked };
}

const packOrder = ({ id, credits, cents: price }: PricedPack, kind: 'pack' | 'top_up'): Goods => {
  return {
    kind,
    cents: price,
    credits,
    packId: id,
    title: creditsTitle(credits),
  };
};

function planOrder(plan: PlanLimits): Goods {
  const { name, price, creditsPerMonth } = plan;
  return { kind: 'plan', cents: cents(price ?? 0), credits: creditsPerMonth ?? 0, planId: name, title: titleOf(plan) };
}

const unknownGoods = (field: string, list: string): ServiceError =>
  new ServiceError('INVALID_FORMAT', `${field} must be an id from ${list}.`, {
    field: { path: field, isMissing: false },
  });
