import type { AccountLife, Services } from './account-life.ts';
import {
  type Act,
  type Acts,
  acts,
  cancel,
  cards,
  changePrice,
  clearHolds,
  deleteAccount,
  disputeIn,
  endDispute,
  endInDashboard,
  expireCard,
  failRefund,
  packs,
  payInvoice,
  payPage,
  planOf,
  providerActs,
  resume,
  someOf,
  subscribe,
  topUpRule,
  toRenewal,
  transfer,
  upgrade,
  waits,
  warnOfFraud,
} from './acts.ts';
import { disputedOf, type Payment, refundedOf } from './bank.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const graceMs = 7 * day;

/** Opens a page and pays on it some minutes later. */
async function buy(life: AccountLife, goods: { readonly pack: string } | { readonly planId: string }): Promise<void> {
  await life.run(({ purchases }) => purchases.checkout(life.id, goods));
  await life.advance(life.draws.below(10 * minute));
  await payPage(life);
}

/** The first purchase of most lives, with a card that the bank accepts. */
export async function begin(life: AccountLife): Promise<void> {
  const { draws } = life;
  if (draws.isOneIn(4)) return;
  await life.run(({ purchases }) =>
    purchases.checkout(life.id, draws.isOneIn(4) ? { pack: draws.of(packs) } : { planId: planOf(life) }),
  );
  await life.advance(draws.below(10 * minute));
  await payPage(life, 'accepts');
  await life.advance(draws.below(hour));
}

/** An operator suspends the account, perhaps beyond the end of its month, and resumes it. */
async function suspend(life: AccountLife): Promise<void> {
  const { draws } = life;
  life.mayCancel += 1;
  const close = (closed: 'suspended' | undefined) => {
    const change = async () => {
      const { closed: _before, ...meter } = life.rows.meter;
      life.rows.meter = { ...meter, ...(closed && { closed }) };
    };
    return life.run(({ plans: service }) => service.collectAfter(life.id, change));
  };
  await close('suspended');
  for (let steps = draws.below(4); steps > 0; steps--) await someOf(life, draws.isOneIn(2) ? waits : providerActs);
  await life.advance(draws.below(2 * hour));
  while (life.rows.meter.closed) await close(undefined);
}

async function outage(life: AccountLife): Promise<void> {
  const what = life.draws.of(['isProviderDown', 'isQueueDown'] as const);
  life.failures[what] = true;
  await someOf(life, acts);
  await life.advance(life.draws.below(8 * hour));
  await someOf(life, acts);
  life.failures[what] = false;
}

/** A larger plan continues a cancelled one, and its payment is returned, perhaps not forever. */
async function returnResumption(life: AccountLife): Promise<void> {
  const { draws, bank, rows } = life;
  await cancel(life);
  await life.advance(draws.below(2 * day));
  await subscribe(life);
  if (draws.isOneIn(3)) await life.run(({ plans: service }) => service.upgrade(life.id, 'pro_pass'));
  await life.advance(draws.below(hour));
  const upgrades = [...rows.orders.values()].filter(({ kind, state }) => kind === 'upgrade' && state === 'granted');
  for (const { provider } of upgrades) {
    const payment = bank.payments.get(bank.invoices.get(provider.invoice ?? '')?.payment ?? '');
    if (!payment || payment.dispute || refundedOf(payment) > 0 || draws.isOneIn(4)) continue;
    if (draws.isOneIn(2)) bank.refund(payment, payment.cents);
    else disputeIn(bank, payment, 'open');
    await life.advance(draws.below(2 * hour));
    if (draws.isOneIn(3)) await resume(life);
    if (draws.isOneIn(2)) await (draws.isOneIn(2) ? endDispute : failRefund)(life);
  }
}

/** Upgrades are bought and returned again and again within one month, with changes by the owner in between. */
async function returnUpgrades(life: AccountLife): Promise<void> {
  const { draws, bank, rows } = life;
  const customer = bank.customers.get(rows.profile.customer ?? '');
  if (customer) bank.giveCard(customer, 'accepts');
  for (let turns = 4 + draws.below(8); turns > 0; turns--) {
    const next = draws.of([upgrade, subscribe, cancel, resume, returnUpgrade, returnUpgrade, recoverUpgrade]);
    await next(life);
    await life.advance(draws.below(hour));
  }
}

const upgradePayments = ({ rows, bank }: AccountLife): Payment[] =>
  [...rows.orders.values()].flatMap(({ kind, provider }) => {
    const payment = bank.payments.get(bank.invoices.get(provider.invoice ?? '')?.payment ?? '');
    return kind === 'upgrade' && payment ? [payment] : [];
  });

async function returnUpgrade(life: AccountLife): Promise<void> {
  const { draws, bank } = life;
  const kept = upgradePayments(life).filter((one) => refundedOf(one) + disputedOf(one) === 0);
  if (kept.length === 0) return;
  const payment = draws.of(kept);
  if (payment.dispute || draws.isOneIn(2)) bank.refund(payment, payment.cents);
  else disputeIn(bank, payment, 'open');
}

/** A refund of an upgrade fails, or its dispute is won. */
async function recoverUpgrade(life: AccountLife): Promise<void> {
  const { draws, bank } = life;
  const gone = upgradePayments(life).filter((one) => refundedOf(one) > 0 || one.dispute?.status === 'open');
  if (gone.length === 0) return;
  const { refunds, dispute } = draws.of(gone);
  for (const refund of refunds.filter(({ hasFailed }) => !hasFailed)) {
    refund.hasFailed = true;
    bank.emit('refund.failed', refund.id);
  }
  if (dispute?.status !== 'open') return;
  bank.decide(dispute, 'won');
}

/** The owner resumes a plan whose subscription ended in the Dashboard, perhaps without a card. */
async function resumeEnded(life: AccountLife): Promise<void> {
  const { draws, bank, rows } = life;
  await endInDashboard(life);
  await life.advance(draws.below(hour));
  const customer = bank.customers.get(rows.profile.customer ?? '');
  if (customer && draws.isOneIn(2)) customer.card = undefined;
  await resume(life);
  const ends = bank.events.filter(({ type }) => type === 'customer.subscription.deleted');
  if (ends.length > 0) bank.emit('customer.subscription.deleted', draws.of(ends).objectId);
  await life.advance(draws.below(hour));
  if (customer) bank.giveCard(customer, draws.of(cards));
}

/** Two browser tabs send requests at the same time, mostly the same one, and pay on both pages. */
async function twoTabs(life: AccountLife): Promise<void> {
  const { draws, id } = life;
  const [planId, pack, rule] = [planOf(life), draws.of(packs), topUpRule(life)];
  const requests: readonly ((services: Services) => Promise<unknown>)[] = [
    ({ purchases }) => purchases.checkout(id, { planId }),
    ({ purchases }) => purchases.checkout(id, { pack }),
    ({ plans: service }) => service.create(id, planId),
    ({ plans: service }) => service.upgrade(id, planId),
    ({ plans: service }) => service.downgrade(id, planId),
    ({ topUps }) => topUps.set(id, rule),
  ];
  const request = draws.of(requests);
  const other = draws.isOneIn(3) ? draws.of(requests) : request;
  const before = chargesOf(life);
  await Promise.all([life.run(request), life.run(other)]);
  const charges = chargesOf(life) - before;
  if (request === other && charges > 1) life.problems.push(`two tabs charged the card ${charges} times`);
  await life.advance(draws.below(2 * minute));
  await Promise.all([payPage(life), payPage(life)]);
}

/** Payments of plans and upgrades with the saved card. */
const chargesOf = ({ bank }: AccountLife): number =>
  [...bank.payments.values()].filter(({ invoice }) => {
    const { reason } = bank.invoices.get(invoice ?? '') ?? {};
    return reason === 'manual' || reason === 'subscription_create';
  }).length;

/** The card expires before a renewal. The owner reacts within the week, in its last minute, too late or never. */
async function dunning(life: AccountLife): Promise<void> {
  const { draws, rows } = life;
  await expireCard(life);
  await toRenewal(life);
  await life.advance(2 * hour);
  const { unpaidSince } = rows.meter.subscription ?? {};
  if (unpaidSince === undefined) return;
  for (let turns = draws.below(4); turns > 0; turns--) {
    await life.advance(draws.below(2 * day));
    await someOf(life, acts);
  }
  const end = unpaidSince * 1000 + graceMs + draws.of([-minute, -1000, 0, 1000, minute, hour]);
  if (draws.isOneIn(2)) await life.advance(Math.max(0, end - life.now));
  await Promise.all([payInvoice(life), someOf(life, acts)]);
}

/** Another member becomes the owner while a renewal or a purchase is in progress. */
async function transferInProgress(life: AccountLife): Promise<void> {
  const { draws } = life;
  if (draws.isOneIn(2)) await toRenewal(life);
  await Promise.all([transfer(life), someOf(life, acts)]);
  await life.advance(draws.below(2 * hour));
}

/** The endpoint is unreachable for hours. The provider then delivers the newest events first. */
async function holdEvents(life: AccountLife): Promise<void> {
  life.isHoldingEvents = true;
  for (let steps = 1 + life.draws.below(4); steps > 0; steps--) {
    await someOf(life, acts);
    await life.advance(life.draws.below(8 * hour));
  }
  life.releaseEvents();
}

/** Acts that move the clock, so that no other act runs at the same time. */
const passages: Acts = {
  ...waits,
  buyPack: [10, (life) => buy(life, { pack: life.draws.of(packs) })],
  buyPlan: [8, (life) => buy(life, { planId: planOf(life) })],
  returnResumption: [4, returnResumption],
  returnUpgrades: [4, returnUpgrades],
  twoTabs: [3, twoTabs],
  dunning: [3, dunning],
  transferInProgress: [1, transferInProgress],
  holdEvents: [1, holdEvents],
  resumeEnded: [1, resumeEnded],
  outage: [1, outage],
  suspend: [2, suspend],
};

const assign: Act = (life) => {
  const plan = life.draws.of(['enterprise', 'smm_pass', life.rows.meter.subscription?.planId ?? 'dev_pass']);
  return life.run(({ plans: service }) => service.assign(life.id, plan));
};

/** Rare acts, because they end most lives or plans, or change the offer. */
const rarities: Acts = {
  assign: [3, assign],
  changePrice: [4, changePrice],
  endInDashboard: [2, endInDashboard],
  warnOfFraud: [1, warnOfFraud],
  clearHold: [2, clearHolds],
  deleteAccount: [2, deleteAccount],
};

/** One act, or two at the same time. */
export async function live(life: AccountLife): Promise<void> {
  const { draws } = life;
  if (life.isDeleted) await someOf(life, draws.isOneIn(3) ? waits : providerActs);
  else if (draws.isOneIn(3)) await someOf(life, passages);
  else {
    const first = draws.isOneIn(20) ? rarities : acts;
    const second = draws.isOneIn(6) ? [someOf(life, acts)] : [];
    await Promise.all([someOf(life, first), ...second]);
  }
}
