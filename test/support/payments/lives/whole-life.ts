import { AccountLife } from './account-life.ts';
import type { Act } from './acts.ts';
import { disputedOf, refundedOf } from './bank.ts';
import { wrongBooks } from './books.ts';
import { begin, live } from './passages.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** Runs a life with random failures, lets it settle without failures, and returns the problems. */
export async function wholeLife(seed: number): Promise<{ life: AccountLife; problems: string[] }> {
  const life = new AccountLife(seed);
  const { draws, failures } = life;
  failures.lost = draws.of([Infinity, 100, 20, 8]);
  failures.end = draws.of([Infinity, 200, 40, 15]);
  failures.conflict = draws.of([Infinity, 100, 20]);
  life.unreliableEvents = draws.of([Infinity, 10, 3]);
  life.lateness = draws.of([5 * minute, hour, 2 * day]);
  try {
    await begin(life);
    for (let steps = 5 + draws.below(25); steps > 0; steps--) await live(life);
    await settle(life);
    return {
      life,
      problems: [...life.problems, ...refundDiffering(life), ...wrongBooks(life), ...(await wrongComparison(life))],
    };
  } catch (error) {
    return { life, problems: [String(error)] };
  }
}

/** Runs acts in their sequence without failures, lets the life settle, and returns the problems. */
export async function scriptedLife(acts: readonly Act[]): Promise<string[]> {
  const life = new AccountLife(1);
  for (const act of acts) await act(life);
  await settle(life);
  return [...wrongBooks(life), ...(await wrongComparison(life))];
}

/** Ends all failures, and repeats dead messages as an operator does. */
async function settle(life: AccountLife): Promise<void> {
  const works = { lost: Infinity, end: Infinity, conflict: Infinity, isProviderDown: false, isQueueDown: false };
  Object.assign(life.failures, works);
  life.unreliableEvents = Infinity;
  life.lateness = 5 * minute;
  life.note('settle');
  for (const customer of life.bank.customers.values()) life.bank.giveCard(customer, 'accepts');
  if (life.rows.profile.topUp) await life.run(({ topUps }) => topUps.set(life.id, null));
  decideDisputes(life);
  life.redrive();
  await life.advance(2 * day);
  life.errors.length = 0;
  await life.advance(9 * day);
  await life.run(async ({ reconciliation }) => {
    await reconciliation.fromProvider(0);
    await reconciliation.fromOrders();
  });
  await life.advance(hour);
  await life.run(({ meters }) => meters.current(life.id, life.now));
  // A renewal that is being collected takes an hour.
  for (let tries = 0; life.rows.meter.subscription?.unpaidSince !== undefined && tries < 100; tries++)
    await life.advance(2 * hour);
}

/** The bank decides most disputes. Nobody can refund the rest of a payment while a part of it is disputed. */
function decideDisputes({ bank, draws }: AccountLife): void {
  for (const { dispute, cents } of bank.payments.values())
    if (dispute?.status === 'open' && (dispute.cents < cents || draws.isOneIn(2)))
      bank.decide(dispute, draws.isOneIn(2) ? 'won' : 'lost');
}

/**
 * The operator refunds renewals whose price changed too late, as the alarm asks for: the change reached the provider an
 * hour after the month had begun, because of an outage or a late job.
 */
function refundDiffering({ bank, rows, refused }: AccountLife): string[] {
  const differing = [...rows.orders.values()].filter(({ failure }) => failure === 'paid_differs');
  for (const { provider } of differing) {
    const payment = bank.payments.get(bank.invoices.get(provider.invoice ?? '')?.payment ?? '');
    if (payment) bank.refund(payment, payment.cents - refundedOf(payment) - disputedOf(payment));
  }
  const alarms = refused.filter((reason) => reason === 'differs');
  return [
    ...differing.filter(({ kind }) => kind !== 'renewal').map(({ id }) => `${id} differs from its payment`),
    ...(alarms.length < differing.length ? ['no alarm about a payment that differs'] : []),
  ];
}

/** Differences that the service's own comparison finds, and errors after the end of all failures. */
async function wrongComparison(life: AccountLife): Promise<string[]> {
  const found: string[] = [];
  await life.run(async ({ reconciliation }) => {
    for (const one of [await reconciliation.fromProvider(0), await reconciliation.fromOrders()])
      found.push(...one.differences.map(({ id, problem }) => `${id}: ${problem}`));
  });
  const differences = found.filter((problem) => !problem.endsWith('the payment differs from the order'));
  const errors = life.errors.map((error) => `after settling: ${error}`);
  const dead = life.deadMessages.map(({ work }) => `never handled: ${JSON.stringify(work)}`);
  return [...differences, ...errors, ...dead];
}
