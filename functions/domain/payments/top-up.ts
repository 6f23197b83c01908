import { microPerCredit } from '#contract/billing/prices.ts';
import { findPack, type PaymentWork, type PricedPack } from '#contract/payments/payments.ts';
import { hourMs, iso, minuteMs } from '#contract/shared/time.ts';
import { balance } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import type { Clock, MessageQueue } from '../shared/ports.ts';
import { ServiceError, undefinedIfNotFound } from '../shared/service-error.ts';
import { unavailable } from './charges.ts';
import { type Order, type OrderStore, type TopUpFailure, type TopUpRule, changeProfile } from './order.ts';
import { ChargeRefused, type PaymentProvider } from './provider.ts';
import type { Purchases } from './purchases.ts';

/** Waits after a decline that a retry can resolve. After the last one, the top-up is switched off. */
const waits = [hourMs, 6 * hourMs, 24 * hourMs];

/** Milliseconds until a retry after another payment or an outage prevented the purchase. */
const soonMs = 5 * minuteMs;

/** Milliseconds between attempts while purchases are blocked. */
const blockedMs = 24 * hourMs;

export interface TopUpParts {
  readonly store: OrderStore;
  readonly provider: PaymentProvider;
  readonly purchases: Purchases;
  readonly metering: Metering;
  /** Sets the threshold that the ledger projector compares balances with. Undefined removes it. */
  readonly watchBalance: (accountId: number, threshold: number | undefined) => Promise<void>;
  readonly queue: () => Promise<MessageQueue>;
  readonly clock: Clock;
  /** Called when the top-up is switched off or has to wait for the next month. Must not throw. */
  readonly onFailure: (accountId: number, rule: TopUpRule, url: string | undefined) => Promise<void>;
}

interface NewRule {
  readonly threshold: number;
  readonly pack: string;
  readonly monthlyLimit: number;
}

/** Buys a pack when the balance falls below a threshold (docs/payments.md#automatic-top-up). */
export function topUps(parts: TopUpParts) {
  const { store, provider, purchases, metering, watchBalance, queue, clock } = parts;
  const { end, note } = topUpRules(parts);

  async function get(accountId: number) {
    await purchases.refuseTooMany(accountId);
    return view(accountId);
  }

  async function view(accountId: number) {
    const { customer, topUp } = await store.profile(accountId);
    const card = customer === undefined ? undefined : await provider.savedCard(customer).catch(unavailable);
    const { threshold = null, packId = null, monthlyLimit = null, state = 'off', lastFailure } = topUp ?? {};
    const { brand = '', last4 = '', expMonth = 0, expYear = 0 } = card ?? {};
    return {
      state,
      threshold,
      pack: packId,
      monthlyLimit,
      lastFailure: lastFailure ? { ...lastFailure, at: iso(lastFailure.at) } : null,
      card: card ? { brand, last4, expMonth, expYear } : null,
    };
  }

  async function set(accountId: number, chosen: NewRule | null) {
    await purchases.refuseTooMany(accountId);
    if (chosen) {
      const pack = findPack(chosen.pack);
      const field = (path: string) => ({ field: { path, isMissing: false } });
      if (!pack)
        throw new ServiceError('INVALID_FORMAT', 'pack must be an id from GET /payments/packs.', field('pack'));
      if (chosen.monthlyLimit < pack.cents) {
        const rule = `monthlyLimit must be at least the price of the pack, ${pack.cents} cents.`;
        throw new ServiceError('INVALID_FORMAT', rule, field('monthlyLimit'));
      }
      await purchases.requireCard(accountId);
    }
    await changeProfile(store, accountId, () => ({ topUp: chosen ? newRule(chosen) : undefined }));
    await watchBalance(accountId, chosen?.threshold);
    if (chosen) await again(accountId);
    return view(accountId);
  }

  const newRule = ({ threshold, pack, monthlyLimit }: NewRule): TopUpRule => {
    return { threshold, packId: pack, monthlyLimit, state: 'on', failures: 0 };
  };

  async function again(accountId: number): Promise<void> {
    await (await queue()).send({ do: 'top-up', accountId } satisfies PaymentWork, { group: String(accountId) });
  }

  /**
   * Buys once if the balance is below the threshold. Runs of the same account exclude each other by the charge's lock.
   */
  async function run(accountId: number): Promise<void> {
    const { topUp: rule } = await store.profile(accountId);
    const now = clock.now();
    if (rule?.state !== 'on' || (rule.retryAt ?? 0) > now) return;
    const pack = findPack(rule.packId);
    if (!pack) return end(accountId, rule, 'unavailable');
    if (!(await isBelow(accountId, rule))) return note(accountId, rule, { failures: 0, retryAt: undefined });
    if (await purchases.isBlocked(accountId)) return note(accountId, rule, { retryAt: now + blockedMs });
    try {
      await purchases.topUp(accountId, pack, () => refuseUnlessDue(accountId, rule, pack));
    } catch (error) {
      return failed(accountId, rule, error);
    }
    await note(accountId, rule, { failures: 0, retryAt: undefined });
    if (await isBelow(accountId, rule)) await again(accountId);
  }

  /** Checked again under the charge lock: a concurrent run may have bought, or the rule was changed. */
  async function refuseUnlessDue(accountId: number, rule: TopUpRule, pack: PricedPack): Promise<void> {
    if (!(await isBelow(accountId, rule))) throw new Stopped('not_due');
    // The rule is switched off before credits of a returned payment are taken back.
    const { topUp } = await store.profile(accountId);
    if (!isOn(topUp, rule)) throw new Stopped('not_due');
    if ((await spentThisMonth(accountId)) + pack.cents > rule.monthlyLimit) throw new Stopped('monthly_limit');
  }

  async function isBelow(accountId: number, { threshold }: TopUpRule): Promise<boolean> {
    const meter = await metering.current(accountId, clock.now()).catch(undefinedIfNotFound);
    return meter !== undefined && meter.closed === undefined && balance(meter) < threshold * microPerCredit;
  }

  /** Cents of this month (UTC), with payments that are still open. */
  async function spentThisMonth(accountId: number): Promise<number> {
    const start = startOfMonth(clock.now());
    let spent = 0;
    let cursor: string | undefined;
    do {
      const { items, next } = await store.page(accountId, { limit: 200, cursor });
      for (const order of items) if (order.createdAt >= start && isSpent(order)) spent += order.cents;
      cursor = (items.at(-1)?.createdAt ?? 0) >= start && next !== null ? next : undefined;
    } while (cursor !== undefined);
    return spent;
  }

  async function failed(accountId: number, rule: TopUpRule, error: unknown): Promise<void> {
    if (error instanceof Stopped) {
      if (error.reason === 'not_due') return;
      const retryAt = startOfMonth(clock.now(), 1);
      return note(accountId, rule, { ...failureOf('monthly_limit', clock), retryAt }, true);
    }
    const code = error instanceof ServiceError ? error.code : undefined;
    const refused = error instanceof ServiceError && error.cause instanceof ChargeRefused ? error.cause : undefined;
    if (code === 'PAYMENT_METHOD_REQUIRED') return end(accountId, rule, 'no_card');
    if (refused?.reason === 'action_required') return end(accountId, rule, 'action_required', refused.url);
    if (refused?.reason === 'hard_decline') return end(accountId, rule, 'declined');
    if (code === 'PAYMENT_DECLINED') {
      const wait = waits[rule.failures];
      if (wait === undefined) return end(accountId, rule, 'declined');
      const retryAt = clock.now() + wait;
      return note(accountId, rule, { ...failureOf('declined', clock), failures: rule.failures + 1, retryAt });
    }
    await note(accountId, rule, { retryAt: clock.now() + soonMs });
    if (code !== 'INVALID_STATE') throw error;
  }

  return { get, set, run };
}

/** Changes the stored rule. */
export function topUpRules({
  store,
  watchBalance,
  clock,
  onFailure,
}: Pick<TopUpParts, 'store' | 'watchBalance' | 'clock' | 'onFailure'>) {
  /** Switches the top-up off, so that a refund or dispute does not charge the card again. */
  async function stop(accountId: number): Promise<void> {
    const { topUp: rule } = await store.profile(accountId);
    if (rule?.state === 'on') await end(accountId, rule, 'returned');
  }

  async function end(accountId: number, rule: TopUpRule, reason: TopUpFailure, url?: string): Promise<void> {
    const state = reason === 'action_required' ? reason : 'off';
    await watchBalance(accountId, undefined);
    await note(accountId, rule, { state, ...failureOf(reason, clock), retryAt: undefined }, true, url);
  }

  async function note(
    accountId: number,
    rule: TopUpRule,
    change: RuleChange,
    isTold = false,
    url?: string,
  ): Promise<void> {
    let changed: TopUpRule | undefined;
    await changeProfile(store, accountId, ({ topUp }) => {
      // Changes nothing if the owner has replaced the rule in the meantime, or it was switched off.
      changed = isOn(topUp, rule) ? changedRule(topUp, change) : undefined;
      return changed && { topUp: changed };
    });
    if (changed && isTold) await onFailure(accountId, changed, url);
  }

  return { end, note, stop };
}

const failureOf = (reason: TopUpFailure, clock: Clock) => ({ lastFailure: { reason, at: clock.now() } });

type RuleChange = Partial<Omit<TopUpRule, 'retryAt'>> & { readonly retryAt?: number | undefined };

function changedRule(rule: TopUpRule, change: RuleChange): TopUpRule {
  const { retryAt, ...changed } = { ...rule, ...change };
  return { ...changed, ...(retryAt !== undefined && { retryAt }) };
}

class Stopped extends Error {
  readonly reason: 'not_due' | 'monthly_limit';

  constructor(reason: 'not_due' | 'monthly_limit') {
    super(reason);
    this.reason = reason;
  }
}

const notSpent: ReadonlySet<Order['state']> = new Set(['failed', 'expired', 'refunded']);
const isSpent = ({ kind, state }: Order): boolean => kind === 'top_up' && !notSpent.has(state);

const isOn = (stored: TopUpRule | undefined, rule: TopUpRule): stored is TopUpRule =>
  stored?.state === 'on' &&
  stored.threshold === rule.threshold &&
  stored.packId === rule.packId &&
  stored.monthlyLimit === rule.monthlyLimit;

function startOfMonth(now: number, later = 0): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1);
}
