import { randomBytes } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { tables } from '#contract/platform/resources.ts';
import { openMeter } from '#domain/billing/grants.ts';
import { type AttemptResult, type Delivery, newDelivery } from '#domain/webhooks/delivery.ts';
import { healthy, type Speed, type Webhook, type WebhookRef } from '#domain/webhooks/webhook.ts';
import { type Receiver, type WorkerParts, webhookWorker } from '#domain/webhooks/worker.ts';
import { newMeterRow } from '#repositories/meter/meter-item.ts';
import { deliveryStore } from '#repositories/webhooks/deliveries.ts';
import { webhookStore } from '#repositories/webhooks/webhooks.ts';
import { startTestDatabase } from '../database/database.ts';

/** The behavior of a receiver by the headers and body of a request. */
export type Respond = (
  headers: Readonly<Record<string, string>>,
  body: string,
) => AttemptResult | Promise<AttemptResult>;

export const responds = (status: number, more: Partial<AttemptResult> = {}): AttemptResult => ({
  durationMs: 1,
  status,
  body: '',
  ...more,
});

/** Webhooks in a database, with workers that use the test's clock and receivers. */
export async function startSending() {
  const database = await startTestDatabase();
  const { client } = database;
  const table = tables.webhooks.name;
  const random = { bytes: (size: number) => new Uint8Array(randomBytes(size)) };
  let now = Date.UTC(2027, 2, 1);
  let accounts = 0;
  let respond: Respond = () => responds(204);
  const sent: { readonly at: number; readonly url: string; readonly id: string; readonly body: string }[] = [];
  const notified: { readonly id: string; readonly speed: Speed; readonly at: number }[] = [];
  const closed = new Set<number>();
  const clock = { now: () => now };

  const webhooks = webhookStore(client, table, () => tables.meters.name);
  const where = { webhooks: table, accounts: () => tables.accounts.name };
  const deliveries = deliveryStore(client, where, 'https://text.example.com', random);

  const open = (url: string): Receiver => ({
    async send(headers, body) {
      sent.push({ at: now, url, id: headers['webhook-id'] ?? '', body });
      return respond(headers, body);
    },
    close: () => undefined,
  });

  /** A worker on these stores, with overrides. */
  function workerWith(about: Partial<WorkerParts> = {}) {
    const work = webhookWorker({
      deliveries,
      open,
      findOpen: async (accountId) => (closed.has(accountId) ? undefined : { webhooks: 10 }),
      notify: async ({ ids }, speed, at) => void notified.push(...ids.map((id) => ({ id, speed, at }))),
      clock,
      wallClock: { now: () => Date.now() },
      random,
      ...about,
    });
    return ({ accountId, id }: WebhookRef, hops = 0, speed: Speed = 'normal') =>
      work({ accountId, ids: [id] }, speed, hops);
  }

  async function webhook(about: Partial<Webhook> = {}): Promise<Webhook> {
    accounts += 1;
    const accountId = about.accountId ?? accounts;
    if (about.accountId === undefined) {
      const { meter, entries } = openMeter(accountId, now / 1000, planOfRank);
      await client.send(new PutCommand({ TableName: tables.meters.name, Item: newMeterRow(meter, entries) }));
    }
    const made: Webhook = {
      id: `whk_${Buffer.from(random.bytes(8)).toString('hex')}`,
      url: 'https://hooks.example.com/',
      events: ['*'],
      status: 'active',
      secrets: [{ value: `whsec_${Buffer.from(random.bytes(32)).toString('base64')}` }],
      createdAt: now,
      revision: 1,
      health: healthy,
      ...about,
      accountId,
    };
    if (!(await webhooks.create(made))) throw new Error('not created');
    return made;
  }

  let events = 0;
  const eventFor = (to: WebhookRef): Delivery => {
    events += 1;
    const event = { id: `evt_${events}`, type: 'webhook.test', at: Math.floor(now / 1000) } as const;
    return newDelivery({ ...event, data: { accountId: to.accountId, webhookId: to.id } }, to, now);
  };

  /** Queues deliveries of a webhook like the dispatcher. */
  async function enqueue(to: WebhookRef, count = 1): Promise<Delivery[]> {
    const made = Array.from({ length: count }, () => eventFor(to));
    await Promise.all(made.map((delivery) => deliveries.add([delivery])));
    await deliveries.wake(to, now, now);
    return made;
  }

  return {
    client,
    clock,
    random,
    webhooks,
    deliveries,
    sent,
    notified,
    closed,
    workerWith,
    webhook,
    eventFor,
    enqueue,
    work: workerWith(),
    respond(next: Respond) {
      respond = next;
    },
    later(ms: number) {
      now += ms;
    },
    /** Whether the sweep would find it now. */
    async isDue({ id }: WebhookRef): Promise<boolean> {
      return (await Array.fromAsync(deliveries.webhooksDue(now))).some((due) => due.id === id);
    },
    /** Sweeps the webhook if it is due. */
    async sweep(ref: WebhookRef): Promise<void> {
      const due = await Array.fromAsync(deliveries.webhooksDue(now));
      if (due.some(({ id }) => id === ref.id)) await workerWith()(ref);
    },
    logOf: async (ref: WebhookRef) => (await deliveries.page(ref, 200, undefined, now)).deliveries,
    async item(Key: Record<string, unknown>) {
      return (await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }))).Item;
    },
    close: () => database.close(),
  };
}

export type Sending = Awaited<ReturnType<typeof startSending>>;

/** Starts it before the tests of a file; before each test, nothing is sent and receivers respond with 204. */
export function useSending(): Sending {
  const sending = {} as Sending;
  beforeAll(async () => void Object.assign(sending, await startSending()));
  afterAll(() => sending.close());
  beforeEach(() => {
    sending.sent.length = 0;
    sending.notified.length = 0;
    sending.respond(() => responds(204));
  });
  return sending;
}
