import { clearHold } from '#domain/payments/reversals.ts';
import type { AccountLife } from './account-life.ts';
import { type Bank, type CardKind, disputedOf, type Payment, refundedOf } from './bank.ts';
import { monthlyLimit, soldPlans } from './sold.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const plans = ['dev_pass', 'smm_pass', 'pro_pass'] as const;
export const packs = ['credits_500', 'credits_3000', 'credits_10000'] as const;
export const cards: readonly CardKind[] = ['accepts', 'accepts', 'accepts', 'declines', 'stolen', 'asks'];

export type Act = (life: AccountLife) => Promise<unknown>;
export type Acts = Readonly<Record<string, readonly [weight: number, act: Act]>>;

const openSession = ({ bank, draws }: AccountLife) => {
  const open = [...bank.sessions.values()].filter(({ status }) => status === 'open');
  return open.length > 0 ? draws.of(open) : undefined;
};

/** The buyer pays on the page, if the card accepts, and returns. */
export async function payPage(life: AccountLife, kind = life.draws.of(cards)): Promise<void> {
  const { bank, draws } = life;
  bank.advance(life.seconds);
  const session = openSession(life);
  if (!session) return;
  const customer = bank.customerOf(session.customer);
  const card = bank.giveCard(customer, kind).kind;
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
export async function payInvoice({ bank, draws, seconds }: AccountLife): Promise<void> {
  bank.advance(seconds);
  const open = [...bank.invoices.values()].filter(({ status }) => status === 'open');
  if (open.length > 0) bank.pay(draws.of(open), 'accepts');
}

/** The saved card expires, or the bank renews it under the same id. */
export async function expireCard({ bank, draws, rows }: AccountLife): Promise<void> {
  const customer = bank.customers.get(rows.profile.customer ?? '');
  if (!customer?.card) return;
  customer.card = { ...customer.card, kind: draws.isOneIn(4) ? 'accepts' : 'declines' };
  bank.cards.set(customer.card.id, customer.card.kind);
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
  const payment = somePayment(life, (one) => refundedOf(one) + disputedOf(one) < one.cents);
  if (!payment) return;
  const rest = payment.cents - refundedOf(payment) - disputedOf(payment);
  life.bank.refund(payment, life.draws.isOneIn(2) ? rest : 1 + life.draws.below(rest));
}

export async function failRefund(life: AccountLife): Promise<void> {
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
  const rest = payment.cents - refundedOf(payment);
  const cents = life.draws.isOneIn(4) ? 1 + life.draws.below(rest) : rest;
  disputeIn(life.bank, payment, life.draws.isOneIn(4) ? 'inquiry' : 'open', cents);
}

export function disputeIn(
  bank: Bank,
  payment: Payment,
  status: 'inquiry' | 'open',
  cents = payment.cents - refundedOf(payment),
): void {
  payment.dispute = { id: bank.id('dp'), cents, status };
  bank.emit('charge.dispute.created', payment.dispute.id);
}

/** An inquiry can become a dispute, which the bank decides later. */
export async function endDispute(life: AccountLife): Promise<void> {
  const payment = somePayment(
    life,
    ({ dispute: one }) => one !== undefined && ['open', 'inquiry'].includes(one.status),
  );
  if (!payment?.dispute) return;
  const { dispute: ended } = payment;
  if (ended.status === 'inquiry' && life.draws.isOneIn(2)) {
    ended.status = 'open';
    life.bank.emit('charge.dispute.funds_withdrawn', ended.id);
    return;
  }
  life.bank.decide(ended, life.draws.isOneIn(2) ? 'won' : 'lost');
}

export async function warnOfFraud(life: AccountLife): Promise<void> {
  const payment = somePayment(life, (one) => refundedOf(one) === 0 && disputedOf(one) === 0);
  if (!payment) return;
  const id = life.bank.id('issfr');
  life.bank.warnings.set(id, payment.id);
  life.bank.emit('radar.early_fraud_warning.created', id);
}

/** An operator ends the subscription in the provider's Dashboard. */
export async function endInDashboard(life: AccountLife): Promise<void> {
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

const spend: Act = (life) => {
  life.hasSpent = true;
  return life.run(({ meters }) =>
    meters.change(life.id, life.now, (meter) => {
      const amount = life.draws.isOneIn(2) ? meter.spendable : life.draws.below(meter.spendable + 1);
      const entry = { type: 'charge', at: life.seconds, amount: -amount, service: 'chat' } as const;
      return { meter: { ...meter, spendable: meter.spendable - amount, seq: meter.seq + 1 }, entries: [entry] };
    }),
  );
};

export async function deleteAccount(life: AccountLife): Promise<void> {
  life.mayCancel += 1;
  if (life.isDeleted || !(await life.run(({ stopCollecting }) => stopCollecting(life.id)))) return;
  life.isDeleted = true;
  life.rows.meter = { ...life.rows.meter, closed: 'deleted' };
  await life.run(({ alignCollection }) => alignCollection(life.id));
}

/** Another member becomes the oldest owner, whose address the customer has. The service logs a lost update. */
export async function transfer(life: AccountLife): Promise<void> {
  life.owner += 1;
  const isQueued = await life.run(({ queue }) => queue.send({ do: 'account', accountId: life.id }));
  life.isAddressLost ||= !isQueued;
}

/** The deployer sells a plan at another price and with other credits from now on. */
export async function changePrice(life: AccountLife): Promise<void> {
  const { draws } = life;
  const { cents, credits, rank } = draws.of(soldPlans);
  life.sell(
    rank,
    Math.round((cents * (80 + draws.below(61))) / 100),
    Math.round((credits * (80 + draws.below(61))) / 100),
  );
}

export async function clearHolds(life: AccountLife): Promise<void> {
  life.isHoldCleared = true;
  await life.run(({ store }) => clearHold(store, life.id));
}

export const cancel: Act = (life) => {
  life.mayCancel += 1;
  return life.run(({ plans: service }) => service.cancel(life.id, currentId(life)));
};
export const resume: Act = (life) => life.run(({ plans: service }) => service.resume(life.id, currentId(life)));
export const subscribe: Act = (life) => life.run(({ plans: service }) => service.create(life.id, planOf(life)));
export const upgrade: Act = (life) => life.run(({ plans: service }) => service.upgrade(life.id, planOf(life)));

const currentId = (life: AccountLife): string => life.rows.meter.subscription?.id ?? '';
export const planOf = ({ draws }: AccountLife): string => draws.of(plans);

/** Requests of the owner to the service, with their weights. */
const ownerActs: Acts = {
  checkoutPack: [3, (life) => life.run(({ purchases }) => purchases.checkout(life.id, { pack: life.draws.of(packs) }))],
  checkoutPlan: [3, (life) => life.run(({ purchases }) => purchases.checkout(life.id, { planId: planOf(life) }))],
  subscribe: [12, subscribe],
  upgrade: [12, upgrade],
  downgrade: [5, (life) => life.run(({ plans: service }) => service.downgrade(life.id, planOf(life)))],
  free: [1, (life) => life.run(({ plans: service }) => service.downgrade(life.id, 'freemium'))],
  cancel: [3, cancel],
  resume: [4, resume],
  spend: [4, spend],
  topUp: [4, (life) => life.run(({ topUps }) => topUps.set(life.id, topUpRule(life)))],
};

/** Events at the provider and repeated jobs. They also happen to a deleted account. */
export const providerActs: Acts = {
  payPage: [8, (life) => payPage(life)],
  payInvoice: [4, payInvoice],
  changeCard: [5, changeCard],
  refund: [2, refund],
  failRefund: [2, failRefund],
  dispute: [1, dispute],
  endDispute: [2, endDispute],
  settle: [2, settleSome],
  repeatEvent: [1, repeatEvent],
};

export const acts: Acts = { ...ownerActs, ...providerActs };

export const waits: Acts = {
  wait: [4, (life) => life.advance(life.draws.below(2 * hour))],
  waitLong: [8, (life) => life.advance(life.draws.below(20 * day))],
  toRenewal: [14, toRenewal],
};

async function settleSome(life: AccountLife): Promise<void> {
  const orders = [...life.rows.orders.values()];
  if (orders.length > 0) await life.run(({ settlement }) => settlement.settle(life.draws.of(orders)));
}

export const topUpRule = ({ draws }: AccountLife) =>
  draws.isOneIn(4) ? null : { threshold: 50 + draws.below(3000), pack: draws.of(packs.slice(0, 2)), monthlyLimit };

/** Moves to just before or after the end of the month, the time of most races. */
export async function toRenewal(life: AccountLife): Promise<void> {
  const running = [...life.bank.subscriptions.values()].find(({ isEnded }) => !isEnded);
  if (!running) return life.advance(life.draws.below(35 * day));
  const near = life.draws.of([-minute, -1000, 0, 1000, minute, hour - 1000, hour + 1000, 2 * hour]);
  await life.advance(Math.max(0, running.period.end * 1000 + near - life.now));
}

export function someOf(life: AccountLife, from: Acts): Promise<unknown> {
  const weighted = Object.entries(from);
  let left = life.draws.below(weighted.reduce((sum, [, [weight]]) => sum + weight, 0));
  const chosen = weighted.find(([, [weight]]) => (left -= weight) < 0);
  if (!chosen) throw new Error('the weights are wrong');
  const [name, [, act]] = chosen;
  life.note(name);
  return act(life);
}
