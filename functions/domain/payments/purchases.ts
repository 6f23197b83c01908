import { findPlan, isSameTerms, type PlanLimits, planOfRank, type Plans, titleOf } from '#contract/billing/plans.ts';
import { cents, currency, findPack, type PricedPack } from '#contract/payments/payments.ts';
import type { Account } from '../accounts/account.ts';
import { alreadySubscribed, isMonthRunning, type Proration } from '../billing/subscription-changes.ts';
import { isSubscribed, type Meter } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import { planOfMeter } from '../meter/plan-terms.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { accountBusy, ServiceError } from '../shared/service-error.ts';
import {
  creditsTitle,
  isOnHold,
  isOpen,
  type MonthTerms,
  type Order,
  type OrderStore,
  paymentView,
  upgradeTitle,
} from './order.ts';
import { changeProfile } from './profile.ts';
import { type Buyer, ChargeRefused, type PaymentProvider, ProviderUnavailable } from './provider.ts';
import type { Settlement } from './settlement.ts';

/** Milliseconds in which a checkout can be paid. Stripe's minimum is 30 minutes. */
const checkoutMs = 3_600_000;

/** Declined charges a day, because thieves try stolen cards (docs/payments.md#security). */
const maxDeclines = 3;
const dayMs = 86_400_000;

/** Payments a day that require authentication and are not authenticated. */
const maxUnconfirmed = 5;

/** Milliseconds after which a charge that was never stored no longer blocks others. */
const lostChargeMs = 60_000;

const maxTries = 8;

export interface PurchaseParts {
  readonly store: OrderStore;
  readonly provider: PaymentProvider;
  readonly settlement: Settlement;
  readonly metering: Metering;
  readonly plans: Plans;
  readonly findAccount: (accountId: number) => Promise<Account | undefined>;
  readonly enforceCheckoutLimit: (accountId: number) => Promise<void>;
  /** Counts requests that call the provider. Returns the seconds to wait, or 0. */
  readonly takeProviderCall: (accountId: number) => Promise<number>;
  /** Called when a payment requires authentication. Must not throw. */
  readonly onConfirmation: (order: Order) => Promise<void>;
  readonly publicOrigin: string;
  readonly clock: Clock;
  readonly random: Random;
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
    onConfirmation,
    publicOrigin,
    clock,
    random,
  } = parts;

  async function checkout(accountId: number, chosen: { pack?: string | undefined; planId?: string | undefined }) {
    const goods =
      chosen.planId === undefined ? packGoods(chosen.pack ?? '') : await planGoods(accountId, chosen.planId);
    await enforceCheckoutLimit(accountId);
    if ((await blocksOf(accountId)).isHeld) throw onHold();
    const customer = await customerOf(accountId);
    const now = clock.now();
    const order = await added({ ...newOrder(accountId, goods, now), expiresAt: now + checkoutMs });
    const back = `${publicOrigin}/billing?payment=${order.id}`;
    const request = { customer, title: goods.title, successUrl: back, cancelUrl: `${back}&cancelled=1` };
    const { session, url } = await provider.openCheckout(order, request).catch(unavailable);
    // Not saved if an event came first, or if the database repeated the write.
    const opened = (await store.save(order, { provider: { session }, url })) ?? (await store.find(order)) ?? order;
    const { amount, credits, kind, id, status } = paymentView(opened);
    const expiresAt = new Date(now + checkoutMs).toISOString();
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

  async function charge(
    accountId: number,
    goods: Goods,
    request: (order: Order, buyer: Buyer) => Promise<Order['provider']>,
    check: () => Promise<void>,
  ): Promise<Order> {
    const { isHeld, unconfirmed } = await blocksOf(accountId);
    if (isHeld) throw onHold();
    if (unconfirmed >= maxUnconfirmed) throw tooManyUnconfirmed();
    const buyer = await buyerOf(accountId);
    const order = newOrder(accountId, goods, clock.now());
    await lock(accountId, order.id);
    await check().catch(async (error: unknown) => {
      await unlock(accountId, order.id);
      throw error;
    });
    await added(order);
    try {
      const ids = await request(order, buyer);
      const settled = await settlement.settle(order, ids);
      if (settled.state !== 'granted') throw inProgress(settled.id);
      await unlock(accountId, order.id);
      return settled;
    } catch (error) {
      if (!(error instanceof ChargeRefused)) throw unavailableError(error);
      await refused(order, error);
      throw refusal(order, error);
    }
  }

  async function refused(order: Order, { reason, ids, url }: ChargeRefused): Promise<void> {
    const isWaiting = reason === 'action_required' && ids.invoice !== undefined;
    const current = (await store.find(order)) ?? order;
    const link = url === undefined ? {} : { url };
    const waiting = await store.save(current, {
      state: isWaiting ? 'action_required' : 'failed',
      failure: reason,
      provider: ids,
      ...link,
    });
    if (waiting && isWaiting) await onConfirmation(waiting);
    if (reason !== 'action_required') await noteDecline(order.accountId);
    await unlock(order.accountId, order.id);
  }

  async function noteDecline(accountId: number): Promise<void> {
    await changeProfile(store, accountId, ({ declines = [] }) => ({
      declines: [...declines, clock.now()].slice(-maxDeclines),
    }));
  }

  async function refuseTooMany(accountId: number): Promise<void> {
    const retryAfterSeconds = await takeProviderCall(accountId);
    if (retryAfterSeconds === 0) return;
    const detail = `Too many requests about payments; try again in ${retryAfterSeconds} s.`;
    throw new ServiceError('RATE_LIMIT_EXCEEDED', detail, { retryAfterSeconds });
  }

  async function requireCard(accountId: number): Promise<void> {
    await buyerOf(accountId);
  }

  async function buyerOf(accountId: number): Promise<Buyer> {
    const { customer, declines = [] } = await store.profile(accountId);
    const card = customer === undefined ? undefined : await provider.savedCard(customer).catch(unavailable);
    if (customer === undefined || !card) {
      throw new ServiceError(
        'PAYMENT_METHOD_REQUIRED',
        'The account has no saved card. Pay with POST /payments/checkout, which saves it.',
      );
    }
    const [oldest = 0] = declines.slice(-maxDeclines);
    const wait = declines.length < maxDeclines ? 0 : oldest + dayMs - clock.now();
    if (wait > 0) {
      throw new ServiceError(
        'PAYMENT_DECLINED',
        `The card was declined ${maxDeclines} times in a day; try again in ${Math.ceil(wait / 1000)} s.`,
        {
          retryAfterSeconds: Math.ceil(wait / 1000),
        },
      );
    }
    return { customer, card };
  }

  /**
   * A shortfall or a fraud warning blocks purchases until an operator clears it. Payments of
   * the last day that were not authenticated block charges, because each one sends an email.
   */
  async function blocksOf(accountId: number): Promise<{ readonly isHeld: boolean; readonly unconfirmed: number }> {
    const since = clock.now() - dayMs;
    let [isHeld, unconfirmed] = [false, 0];
    let cursor: string | undefined;
    do {
      const { items, next } = await store.page(accountId, { limit: 200, cursor });
      isHeld ||= items.some(isOnHold);
      unconfirmed += items.filter((order) => order.createdAt > since && isUnconfirmed(order)).length;
      cursor = next ?? undefined;
    } while (cursor !== undefined);
    return { isHeld, unconfirmed };
  }

  /** Whether a charge would be refused until an operator acts, or a day has passed. */
  async function isBlocked(accountId: number): Promise<boolean> {
    const { isHeld, unconfirmed } = await blocksOf(accountId);
    return isHeld || unconfirmed >= maxUnconfirmed;
  }

  /** Replaces a customer that was deleted at the provider. */
  async function customerOf(accountId: number): Promise<string> {
    for (let tries = 0; tries < maxTries; tries++) {
      const profile = await store.profile(accountId);
      const { customer: earlier } = profile;
      if (earlier !== undefined && (await provider.hasCustomer(earlier).catch(unavailable))) return earlier;
      const account = await findAccount(accountId);
      if (!account) throw new ServiceError('NOT_FOUND', 'There is no such account.');
      if (account.confirmedAt === undefined) {
        throw new ServiceError('ACCOUNT_NOT_CONFIRMED', 'Confirm your email address first.');
      }
      const customer = await provider.createCustomer(accountId, account.email, earlier).catch(unavailable);
      if (await store.saveCustomer(profile, customer)) return customer;
    }
    throw accountBusy();
  }

  /** Replaces the lock of a charge that has ended or was never stored. */
  async function lock(accountId: number, id: string): Promise<void> {
    await changeProfile(store, accountId, async ({ charging: open }) => {
      if (open !== undefined && !(await hasEnded(accountId, open))) throw inProgress(open);
      return { charging: id, chargingSince: clock.now() };
    });
  }

  async function hasEnded(accountId: number, id: string): Promise<boolean> {
    const order = await store.find({ accountId, id });
    if (order) return !isOpen(await settlement.settle(order).catch(unavailable));
    const { chargingSince = 0 } = await store.profile(accountId);
    return clock.now() - chargingSince > lostChargeMs;
  }

  async function unlock(accountId: number, id: string): Promise<void> {
    await changeProfile(store, accountId, ({ charging }) => (charging === id ? { charging: undefined } : undefined));
  }

  /** An order that exists was written by a repetition of this write, because its id is random. */
  async function added(order: Order): Promise<Order> {
    await store.add(order);
    return order;
  }

  const newOrder = (accountId: number, { title: _title, ...goods }: Goods, now: number): Order => {
    const id = timedId('ord', now, random);
    return { accountId, id, state: 'created', createdAt: now, provider: {}, revision: 1, ...goods };
  };

  return { checkout, get, page, portal, subscribe, upgrade, topUp, requireCard, refuseTooMany, isBlocked };
}

/** A purchase. `title` names it in checkout and on invoices. */
type Goods = Pick<Order, 'kind' | 'cents' | 'credits' | 'packId' | 'planId' | 'upgrade'> & { readonly title: string };

const packOrder = ({ id, credits, cents: price }: PricedPack, kind: 'pack' | 'top_up'): Goods => {
  return {
    kind,
    cents: price,
    credits,
    packId: id,
    title: creditsTitle(credits),
  };
};

const monthTerms = ({ price, creditsPerMonth }: PlanLimits): MonthTerms => {
  return { cents: cents(price ?? 0), credits: creditsPerMonth ?? 0 };
};

function planOrder(plan: PlanLimits): Goods {
  const { name, price, creditsPerMonth } = plan;
  return { kind: 'plan', cents: cents(price ?? 0), credits: creditsPerMonth ?? 0, planId: name, title: titleOf(plan) };
}

const unknownGoods = (field: string, list: string): ServiceError =>
  new ServiceError('INVALID_FORMAT', `${field} must be an id from ${list}.`, {
    field: { path: field, isMissing: false },
  });

function refusal({ id }: Order, cause: ChargeRefused): ServiceError {
  const { reason, url } = cause;
  if (reason !== 'action_required') {
    return new ServiceError(
      'PAYMENT_DECLINED',
      'The saved card was declined. Change it with POST /payments/portal, then try again.',
      { cause },
    );
  }
  const where = url === undefined ? 'Pay with POST /payments/checkout' : `Confirm payment ${id} at ${url}`;
  return new ServiceError('PAYMENT_ACTION_REQUIRED', `The payment requires confirmation by your bank. ${where}.`, {
    cause,
  });
}

const isUnconfirmed = ({ state, failure }: Order): boolean =>
  state === 'action_required' || (state === 'failed' && failure === 'action_required');

const tooManyUnconfirmed = (): ServiceError =>
  new ServiceError(
    'INVALID_STATE',
    `${maxUnconfirmed} payments of the last day were not confirmed with the bank. Confirm them on the billing page, or try again in a day.`,
  );

const onHold = (): ServiceError =>
  new ServiceError(
    'INVALID_STATE',
    'An earlier payment was refunded or disputed. Contact support before you buy again.',
  );

const inProgress = (id: string): ServiceError =>
  new ServiceError(
    'INVALID_STATE',
    `Payment ${id} is still in progress. Check it with GET /payments/${id}, then try again.`,
  );

function unavailableError(error: unknown): unknown {
  if (!(error instanceof ProviderUnavailable)) return error;
  return new ServiceError('SERVICE_UNAVAILABLE', 'The payment provider cannot be reached. Try again in a minute.', {
    retryAfterSeconds: 60,
    cause: error,
  });
}

/** The order stays open, and is settled later. */
export function unavailable(error: unknown): never {
  throw unavailableError(error);
}
