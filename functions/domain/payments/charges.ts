import { dayMs } from '#contract/shared/time.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { isOnHold, isOpen, type Order, type OrderStore, changeProfile } from './order.ts';
import { type Buyer, ChargeRefused, type PaymentProvider, ProviderUnavailable } from './provider.ts';
import type { Settlement } from './settlement.ts';

/** Maximum declined charges per day, to prevent card testing (docs/payments.md#security). */
const maxDeclines = 3;

/** Maximum payments per day that require authentication and are not authenticated. */
const maxUnconfirmed = 5;

/** Milliseconds after which a charge that was never stored no longer blocks others. */
const lostChargeMs = 60_000;

export interface ChargeParts {
  readonly store: OrderStore;
  readonly provider: PaymentProvider;
  readonly settlement: Settlement;
  /** Called when a payment requires authentication. Must not throw. */
  readonly onConfirmation: (order: Order) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
}

/** A purchase. `title` names it in checkout and on invoices. */
export type Goods = Pick<Order, 'kind' | 'cents' | 'credits' | 'packId' | 'planId' | 'upgrade'> & {
  readonly title: string;
};

/** Charges the saved card of an account: at most one order at a time. */
export function charges({ store, provider, settlement, onConfirmation, clock, random }: ChargeParts) {
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
    await store.add(order);
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

  /** Its id is random, so an order that exists when it is added was written by a repetition of that write. */
  const newOrder = (accountId: number, { title: _title, ...goods }: Goods, now: number): Order => {
    const id = timedId('ord', now, random);
    return { accountId, id, state: 'created', createdAt: now, provider: {}, revision: 1, ...goods };
  };

  return { charge, newOrder, blocksOf, isBlocked, requireCard };
}

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

export const onHold = (): ServiceError =>
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
