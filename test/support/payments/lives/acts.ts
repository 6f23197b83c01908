import { clearHold } from '#domain/payments/reversals.ts';
import type { AccountLife } from './account-life.ts';
import { type Bank, type CardKind, disputedOf, type Payment, refundedOf } from './bank.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const plans = ['dev_pass', 'smm_pass', 'pro_pass'] as const;
const packs = ['credits_500', 'credits_3000', 'credits_10000'] as const;
const cards: readonly CardKind[] = ['accepts', 'accepts', 'accepts', 'declines', 'stolen', 'asks'];

/** Cents that the automatic top-up may spend in a month. */
export const monthlyLimit = 6000;

type Act = (life: AccountLife) => Promise<unknown>;
type Acts = Readonly<Record<string, readonly [weight: number, act: Act]>>;

const openSession = ({ bank, draws }: AccountLife) => {
  const open = [...bank.sessions.values()].filter(({ status }) => status === 'open');
  return open.length > 0 ? draws.of(open) : undefined;
};

/** The buyer pays on the page, if the card accepts, and returns. */
async function payPage(life: AccountLife): Promise<void> {
  const { bank, draws } = life;
  bank.advance(life.seconds);
  const session = openSession(life);
  if (!session) return;
  const customer = bank.customerOf(session.customer);
  const card = bank.giveCard(customer, draws.of(cards)).kind;
  if (card === 'declines' || card === 'stolen') return;
  const { id, order, cents, isPlan } = session;
  session.status = 'complete';
  if (isPlan) {
    const subscription = bank.subscribe(customer.id, cents, order);
    const invoice = bank.firstInvoice(subscription);
    bank.pay(invoice, 'accepts');
    Object.assign(session, {
      payment: 'paid',
      subscription: subscription.id,
      invoice: invoice.id,
      intent: invoice.payment,
    });
  } else if (draws.isOneIn(6)) {
    session.payment = 'processing';
    session.processed = { at: bank.now + draws.below(86_400), isPaid: draws.isOneIn(2) };
  } else bank.completePack(session);
  bank.emit('checkout.session.completed', id);
  if (draws.isOneIn(2)) await life.run(({ purchases }) => purchases.get(life.id, order.id));
}

/** The buyer pays an open invoice on its page: a renewal, or a charge that the bank asked about. */
async function payInvoice({ bank, draws, seconds }: AccountLife): Promise<void> {
  bank.advance(seconds);
  const open = [...bank.invoices.values()].filter(({ status }) => status === 'open');
  if (open.length > 0) bank.pay(draws.of(open), 'accepts');
}

async function changeCard({ bank, draws, rows }: AccountLife): Promise<void> {
  const customer = bank.customers.get(rows.profile.customer ?? '');
  if (!customer) return;
  if (draws.isOneIn(8)) customer.card = undefined;
  else bank.giveCard(customer, draws.of(cards));
}

function somePayment({ bank, draws }: AccountLife, isMeant: (payment: Payment) => boolean): Payment | undefined {
  const found = [...bank.payments.values()].filter(isMeant);
  return found.length > 0 ? draws.of(found) : undefined;
}

async function refund(life: AccountLife): Promise<void> {
  const payment = somePayment(life, (one) => refundedOf(one) < one.cents);
  if (!payment) return;
  const rest = payment.cents - refundedOf(payment);
  life.bank.refund(payment, life.draws.isOneIn(2) ? rest : 1 + life.draws.below(rest));
}

async function failRefund(life: AccountLife): Promise<void> {
  const refunds = [...life.bank.payments.values()].flatMap((payment) =>
    payment.refunds.filter((one) => !one.hasFailed),
  );
  if (refunds.length === 0) return;
  const refund = life.draws.of(refunds);
  refund.hasFailed = true;
  life.bank.emit('refund.failed', refund.id);
}

async function dispute(life: AccountLife): Promise<void> {
  const payment = somePayment(life, (one) => !one.dispute && refundedOf(one) < one.cents);
  if (!payment) return;
  disputeIn(life.bank, payment, life.draws.isOneIn(4) ? 'inquiry' : 'open');
}

function disputeIn(bank: Bank, payment: Payment, status: 'inquiry' | 'open'): void {
  payment.dispute = { id: bank.id('dp'), cents: payment.cents - refundedOf(payment), status };
  bank.emit('charge.dispute.created', payment.dispute.id);
}

async function endDispute(life: AccountLife): Promise<void> {
  const payment = somePayment(
    life,
    ({ dispute: one }) => one !== undefined && ['open', 'inquiry'].includes(one.status),
  );
  if (!payment?.dispute) return;
  payment.dispute.status = life.draws.isOneIn(2) ? 'won' : 'lost';
  life.bank.emit('charge.dispute.closed', payment.dispute.id);
}

async function warnOfFraud(life: AccountLife): Promise<void> {
  const payment = somePayment(life, (one) => refundedOf(one) === 0 && disputedOf(one) === 0);
  if (!payment) return;
  const id = life.bank.id('issfr');
  life.bank.warnings.set(id, payment.id);
  life.bank.emit('radar.early_fraud_warning.created', id);
}

/** An operator ends the subscription in the provider's Dashboard. */
async function endInDashboard(life: AccountLife): Promise<void> {
  const running = [...life.bank.subscriptions.values()].filter(({ isEnded }) => !isEnded);
  if (running.length === 0) return;
  life.mayCancel += 1;
  life.bank.end(life.draws.of(running));
}

/** The provider creates another event about an object. */
async function repeatEvent({ bank, draws }: AccountLife): Promise<void> {
  if (bank.events.length === 0) return;
  const { type, objectId } = draws.of(bank.events);
  bank.emit(type, objectId);
}

const spend: Act = (life) =>
  life.run(({ meters }) =>
    meters.change(life.id, life.now, (meter) => {
      const amount = life.draws.isOneIn(2) ? meter.spendable : life.draws.below(meter.spendable + 1);
      const entry = { type: 'charge', at: life.seconds, amount: -amount, service: 'chat' } as const;
      return { meter: { ...meter, spendable: meter.spendable - amount, seq: meter.seq + 1 }, entries: [entry] };
    }),
  );

async function deleteAccount(life: AccountLife): Promise<void> {
  life.mayCancel += 1;
  if (life.isDeleted || !(await life.run(({ stopCollecting }) => stopCollecting(life.id)))) return;
  life.isDeleted = true;
  life.rows.meter = { ...life.rows.meter, closed: 'deleted' };
  await life.run(({ alignCollection }) => alignCollection(life.id));
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

async function clearHolds(life: AccountLife): Promise<void> {
  life.isHoldCleared = true;
  await life.run(({ store }) => clearHold(store, life.id));
}

async function outage(life: AccountLife): Promise<void> {
  const what = life.draws.of(['isProviderDown', 'isQueueDown'] as const);
  life.failures[what] = true;
  await someOf(life, acts);
  await life.advance(life.draws.below(8 * hour));
  await someOf(life, acts);
  life.failures[what] = false;
}

const cancel: Act = (life) => {
  life.mayCancel += 1;
  return life.run(({ plans: service }) => service.cancel(life.id, currentId(life)));
};
const resume: Act = (life) => life.run(({ plans: service }) => service.resume(life.id, currentId(life)));
const subscribe: Act = (life) => life.run(({ plans: service }) => service.create(life.id, planOf(life)));

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

const currentId = (life: AccountLife): string => life.rows.meter.subscription?.id ?? '';
const planOf = ({ draws }: AccountLife): string => draws.of(plans);

/** Opens a page and pays on it some minutes later. */
async function buy(life: AccountLife, goods: { readonly pack: string } | { readonly planId: string }): Promise<void> {
  await life.run(({ purchases }) => purchases.checkout(life.id, goods));
  await life.advance(life.draws.below(10 * minute));
  await payPage(life);
}

/** Requests of the owner to the service, with their weights. */
const ownerActs: Acts = {
  checkoutPack: [3, (life) => life.run(({ purchases }) => purchases.checkout(life.id, { pack: life.draws.of(packs) }))],
  checkoutPlan: [3, (life) => life.run(({ purchases }) => purchases.checkout(life.id, { planId: planOf(life) }))],
  subscribe: [12, subscribe],
  upgrade: [12, (life) => life.run(({ plans: service }) => service.upgrade(life.id, planOf(life)))],
  downgrade: [5, (life) => life.run(({ plans: service }) => service.downgrade(life.id, planOf(life)))],
  free: [1, (life) => life.run(({ plans: service }) => service.downgrade(life.id, 'freemium'))],
  cancel: [3, cancel],
  resume: [4, resume],
  spend: [4, spend],
  topUp: [4, (life) => life.run(({ topUps }) => topUps.set(life.id, topUpRule(life)))],
};

/** Events at the provider and repeated jobs. They also happen to a deleted account. */
const providerActs: Acts = {
  payPage: [8, payPage],
  payInvoice: [4, payInvoice],
  changeCard: [5, changeCard],
  refund: [2, refund],
  failRefund: [2, failRefund],
  dispute: [1, dispute],
  endDispute: [2, endDispute],
  settle: [2, settleSome],
  repeatEvent: [1, repeatEvent],
};

const acts: Acts = { ...ownerActs, ...providerActs };

const waits: Acts = {
  wait: [4, (life) => life.advance(life.draws.below(2 * hour))],
  waitLong: [8, (life) => life.advance(life.draws.below(20 * day))],
  toRenewal: [14, toRenewal],
};

/** Acts that move the clock, so that no other act runs at the same time. */
const passages: Acts = {
  ...waits,
  buyPack: [10, (life) => buy(life, { pack: life.draws.of(packs) })],
  buyPlan: [8, (life) => buy(life, { planId: planOf(life) })],
  returnResumption: [4, returnResumption],
  resumeEnded: [1, resumeEnded],
  outage: [1, outage],
  suspend: [2, suspend],
};

/** Rare acts, because they end most lives or plans. */
const rarities: Acts = {
  assign: [
    3,
    (life) => life.run(({ plans: service }) => service.assign(life.id, life.draws.of(['enterprise', 'smm_pass']))),
  ],
  endInDashboard: [2, endInDashboard],
  warnOfFraud: [1, warnOfFraud],
  clearHold: [2, clearHolds],
  deleteAccount: [2, deleteAccount],
};

async function settleSome(life: AccountLife): Promise<void> {
  const orders = [...life.rows.orders.values()];
  if (orders.length > 0) await life.run(({ settlement }) => settlement.settle(life.draws.of(orders)));
}

const topUpRule = ({ draws }: AccountLife) =>
  draws.isOneIn(4) ? null : { threshold: 50 + draws.below(3000), pack: draws.of(packs.slice(0, 2)), monthlyLimit };

/** Moves to just before or after the end of the month, the time of most races. */
async function toRenewal(life: AccountLife): Promise<void> {
  const running = [...life.bank.subscriptions.values()].find(({ isEnded }) => !isEnded);
  if (!running) return life.advance(life.draws.below(35 * day));
  const near = life.draws.of([-minute, -1000, 0, 1000, minute, hour - 1000, hour + 1000, 2 * hour]);
  await life.advance(Math.max(0, running.period.end * 1000 + near - life.now));
}

function someOf(life: AccountLife, from: Acts): Promise<unknown> {
  const weighted = Object.entries(from);
  let left = life.draws.below(weighted.reduce((sum, [, [weight]]) => sum + weight, 0));
  const chosen = weighted.find(([, [weight]]) => (left -= weight) < 0);
  if (!chosen) throw new Error('the weights are wrong');
  const [name, [, act]] = chosen;
  life.note(name);
  return act(life);
}

/** One act, or two at the same time. */
export async function live(life: AccountLife): Promise<void> {
  const { draws } = life;
  if (life.isDeleted) await someOf(life, draws.isOneIn(3) ? waits : providerActs);
  else if (draws.isOneIn(3)) await someOf(life, passages);
  else {
    const first = draws.isOneIn(30) ? rarities : acts;
    const second = draws.isOneIn(6) ? [someOf(life, acts)] : [];
    await Promise.all([someOf(life, first), ...second]);
  }
}
