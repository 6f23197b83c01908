import type { PaymentWork } from '#contract/payments/payments.ts';
import type { MessageQueue } from '../shared/ports.ts';
import type { OrderStore } from './order.ts';

/** Queues payments and accounts that are due at `now` (epoch ms). Returns their number. */
export async function queueDue(
  store: Pick<OrderStore, 'due'>,
  queue: MessageQueue,
  now: number,
  signal: AbortSignal,
): Promise<number> {
  let queued = 0;
  for await (const due of store.due(now)) {
    if (signal.aborted) return queued;
    const work: PaymentWork = 'id' in due ? { do: 'order', ...due } : { do: 'account', ...due };
    await queue.send(work, { group: String(due.accountId) });
    queued += 1;
  }
  return queued;
}
