import { expireSession } from './objects/checkout.ts';
import { voidInvoice } from './objects/invoices.ts';
import { cancel, collect, incompleteSeconds, itemOf, renew } from './objects/subscriptions.ts';
import { type Kind, idOf } from './objects/types.ts';
import type { DueTimes, Store } from './store.ts';
import { required, type World } from './world.ts';

/** Seconds at which an object changes by itself. */
export const dueTimes: DueTimes = {
  invoice: ({
    status,
    auto_advance: advances,
    automatically_finalizes_at: finalizesAt,
    next_payment_attempt: next,
  }) => {
    if (advances !== true) return null;
    if (status === 'draft') return finalizesAt;
    return status === 'open' ? next : null;
  },
  subscription: (subscription) => {
    if (subscription.status === 'incomplete') return subscription.created + incompleteSeconds;
    return subscription.ended_at === null ? itemOf(subscription).current_period_end : null;
  },
  'checkout.session': ({ status, expires_at: at }) => (status === 'open' ? at : null),
};

/**
 * Runs overdue work in order of its times. Each object changes at its own time, even if
 * the clock has since moved by months.
 */
export function catchUp(store: Store, world: World, nowSeconds: number): void {
  for (let due = store.nextDue(); due && due.at <= nowSeconds; due = store.nextDue()) {
    const { at, kind, id } = due;
    store.commit(() => world.during(at, () => run(world, kind, id)));
  }
}

function run(world: World, kind: Kind, id: string): void {
  if (kind === 'checkout.session') expireSession(world, required(world, kind, id));
  if (kind === 'invoice') collect(world, required(world, kind, id));
  if (kind !== 'subscription') return;
  const subscription = required(world, kind, id);
  if (subscription.status !== 'incomplete') return renew(world, subscription);
  const invoice = world.find('invoice', idOf(subscription.latest_invoice) ?? '');
  if (invoice?.status === 'open') voidInvoice(world, invoice);
  cancel(world, subscription);
}

const daySeconds = 86_400;
/** Stripe lists events for 30 days. */
const eventDays = 30;

/** Removes idempotency keys after a day, and events after 30 days unless they still have to be delivered. */
export function forget(world: World): void {
  for (const { id, created } of world.all('idempotent_reply'))
    if (created + daySeconds <= world.at()) world.remove('idempotent_reply', id);
  for (const { id, created, deliveries } of world.all('event')) {
    const isPending = deliveries.some(({ status }) => status === 'pending');
    if (created + eventDays * daySeconds <= world.at() && !isPending) world.remove('event', id);
  }
}
