import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import Stripe from 'stripe';
import { afterEach, beforeEach, expect } from 'vitest';
import { type PlanLimits, planOfRank, type Plans } from '#contract/billing/plans.ts';
import { PaymentWork } from '#contract/payments/payments.ts';
import { tableVariables } from '#contract/platform/environment.ts';
import { tables } from '#contract/platform/resources.ts';
import { openMeter, renewals } from '#domain/billing/grants.ts';
import { subscriptionService } from '#domain/billing/subscriptions.ts';
import { metering } from '#domain/meter/metering.ts';
import { queueDue, type Order } from '#domain/payments/order.ts';
import type { Outcome } from '#local/payments/outcomes.ts';
import { startStripe, type StripeServer } from '#local/payments/stripe.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { services } from '#runtime/services/container.ts';
import { dynamoClient } from '#runtime/services/dynamo-client.ts';
import { paymentServices } from '#runtime/services/payments.ts';
import { startTestDatabase } from '../database/database.ts';
import { testFolder } from '../folder.ts';
import { putMeter } from '../meter/meters.ts';
import { withEnvironment } from '../service/environment.ts';
import { small, subscribeTo } from './paying-service.ts';

/** A write of the database that the process does not survive, counted from 1. */
export interface Death {
  readonly write: number;
  /** Whether the write takes effect. */
  readonly isWritten: boolean;
}

class Died extends Error {}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

interface WorldOptions {
  /** Returns the origin of a server that forwards the service's requests to the stand-in. */
  readonly through?: (url: string) => Promise<string>;
}

/**
 * Payments with their database and the stand-in for Stripe, without the rest of the service, so that months pass in
 * milliseconds. Events and messages wait for `drain`; `move` also does what the schedules do.
 */
async function startWorld({ through = async (url) => url }: WorldOptions) {
  let time = Date.parse('2027-01-10T10:00:00Z');
  const database = await startTestDatabase();
  const queued: PaymentWork[] = [];
  let paid: ReturnType<typeof paymentServices> | undefined;
  let isQueueDown = false;
  async function receive(request: IncomingMessage): Promise<number> {
    const signature = String(request.headers['stripe-signature']);
    await paid?.events.receive(await buffer(request), signature);
    return 200;
  }
  const endpoint = createServer((request, response) => {
    void receive(request)
      .catch(() => 500)
      .then((status) => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const stand: StripeServer = await startStripe({
    now: () => time,
    file: join(await testFolder(), 'stripe.sqlite'),
    sendEvents: {
      url: () => `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`,
      secret: 'whsec_world',
    },
    log: () => undefined,
  });
  const names = Object.entries(tableVariables).map(([id, variable]) => [
    variable,
    tables[id as keyof typeof tables].name,
  ]);
  const restore = withEnvironment({
    ...Object.fromEntries(names),
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    PAYMENTS: 'stripe',
    PAYMENTS_SECRET_VALUE: JSON.stringify({ apiKey: stand.secretKey, webhookSecrets: [stand.webhookSecret] }),
    STRIPE_API: await through(stand.url),
    PUBLIC_ORIGIN: 'http://127.0.0.1:1',
    POWERTOOLS_METRICS_DISABLED: 'true',
  });
  const before = ambient.clock;
  // Each reading is later, so that payments have an order.
  ambient.clock = { now: () => (time += 1) };
  const sold = new Map<number, Partial<PlanLimits>>();
  const plansSold: Plans = (rank) => ({ ...planOfRank(rank), ...sold.get(rank) });
  const base = services();
  const offered = metering(meterStore(dynamoClient(), tables.meters.name, base.random), renewals(plansSold));
  const core = { ...base, plans: plansSold, metering: () => offered };
  const queue = {
    async send(message: unknown) {
      if (isQueueDown) throw new Error('the queue cannot be reached');
      queued.push(message as PaymentWork);
    },
  };
  const payments = paymentServices(core, {
    recipientsOf: async (id) => [{ id, email: `${id}@example.com`, confirmedAt: 1 } as never],
    enforceCheckoutLimit: async () => undefined,
    takeProviderCall: async () => 0,
    queue: async () => queue,
  });
  paid = payments;
  const plans = subscriptionService(
    core.metering(),
    { payments: async () => payments.planPayments, enforceChangeLimit: async () => undefined },
    core.plans,
    core.clock,
    core.random,
  );
  const { hostname, port } = new URL(stand.url);
  const stripe = new Stripe(stand.secretKey, { host: hostname, port, protocol: 'http', telemetry: false });
  await subscribeTo(stripe);

  let accounts = 1000;
  const known: number[] = [];
  let death: Death | undefined;
  let writes = 0;
  dynamoClient().middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!/^(?:Put|Update|Delete|TransactWrite)/.test(commandName)) return next(args);
        writes += 1;
        if (!death || writes < death.write) return next(args);
        if (writes === death.write && death.isWritten) await next(args);
        throw new Died(`the process has ended before write ${writes}`);
      },
    { step: 'initialize', name: 'death' },
  );

  /** A new account, with the free plan's credits. */
  async function account(): Promise<number> {
    accounts += 1;
    const { meter } = openMeter(accounts, Math.floor(time / 1000), planOfRank);
    await putMeter(database.client, { ...meter, accountId: accounts });
    known.push(accounts);
    return accounts;
  }

  /** Removes the meter, as after the retention of a deleted account. */
  async function purge(accountId: number): Promise<void> {
    known.splice(known.indexOf(accountId), 1);
    await database.client.send(new DeleteCommand({ TableName: tables.meters.name, Key: { a: accountId } }));
  }

  /** Delivers events and handles messages until nothing is left. A message whose handling fails is repeated once. */
  async function drain(): Promise<void> {
    const failed = new Set<PaymentWork>();
    for (let isQuiet = false; !isQuiet;) {
      await stand.advance();
      isQuiet = queued.length === 0;
      for (const work of queued.splice(0)) {
        await payments.handle(work).catch(() => {
          if (!failed.has(work)) queued.push(work);
          failed.add(work);
        });
      }
    }
  }

  /** What the schedules do every few minutes. */
  async function sweep(): Promise<void> {
    for (const id of known) await core.metering().current(id, time);
    await queueDue(payments.store, queue, time, new AbortController().signal).catch(() => 0);
    await drain();
  }

  /** Stops wherever Stripe does something, and in between. */
  async function moveTo(target: number): Promise<void> {
    const pause = Math.max(day, Math.ceil((target - time) / 4));
    while (time < target) {
      const stops = [time + pause, stand.nextDueAt() ?? target, target].filter((at) => at > time);
      time = Math.min(...stops);
      await drain();
      await sweep();
    }
  }

  const move = (by: { days?: number; hours?: number; minutes?: number }): Promise<void> =>
    moveTo(time + (by.days ?? 0) * day + (by.hours ?? 0) * hour + (by.minutes ?? 0) * minute);

  /** Moves the clock at once, without the schedules. */
  async function jump(days: number): Promise<void> {
    time += Math.ceil(days * day);
    await drain();
  }

  async function open(accountId: number, body: { pack?: string; planId?: string } = { pack: small.id }) {
    return payments.purchases.checkout(accountId, body);
  }

  async function script(id: string, outcome: Outcome): Promise<void> {
    await stand.script(id, outcome);
    await drain();
  }

  async function buy(accountId: number, body?: { pack?: string; planId?: string }): Promise<string> {
    const { id } = await open(accountId, body);
    await script(id, 'paid');
    return id;
  }

  async function subscriber(planId = 'dev_pass'): Promise<number> {
    const id = await account();
    await buy(id, { planId });
    return id;
  }

  async function cardholder(): Promise<number> {
    const id = await account();
    await buy(id);
    return id;
  }

  const profile = (accountId: number) => payments.store.profile(accountId);
  const meter = (accountId: number) => core.metering().current(accountId, time);
  const order = (accountId: number, id: string) => payments.store.find({ accountId, id });
  const orders = async (accountId: number): Promise<readonly Order[]> =>
    (await payments.store.page(accountId, { limit: 200, cursor: undefined })).items;

  /** Replaces the saved card by another of Stripe's test cards, or removes it. */
  async function useCard(accountId: number, token: string | undefined): Promise<void> {
    const { customer = '', subscription } = await profile(accountId);
    for (const { id } of (await stripe.customers.listPaymentMethods(customer)).data)
      await stripe.paymentMethods.detach(id);
    if (token === undefined) return;
    const { id } = await stripe.paymentMethods.attach(token, { customer });
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
    const running = subscription === undefined ? undefined : await stripe.subscriptions.retrieve(subscription);
    if (running && running.status !== 'canceled')
      await stripe.subscriptions.update(running.id, { default_payment_method: id });
  }

  /** Cents of each successful charge, less its refunds, smallest first. */
  async function charges(accountId: number): Promise<number[]> {
    const { customer = 'none' } = await profile(accountId);
    const { data } = await stripe.charges.list({ customer, limit: 100 });
    return data
      .filter(({ paid: isPaid }) => isPaid)
      .map(({ amount, amount_refunded: back }) => amount - back)
      .toSorted((one, other) => one - other);
  }

  /** State, price and cancellation of Stripe's subscription. */
  async function collected(accountId: number) {
    const { subscription } = await profile(accountId);
    const { status, items, cancel_at_period_end: ends } = await stripe.subscriptions.retrieve(subscription ?? 'none');
    return { status, cents: items.data[0]?.price.unit_amount, ends };
  }

  /** Whole credits that lots of a source were granted and still count. */
  async function granted(accountId: number, source: 'plan' | 'purchase'): Promise<number> {
    const { lots } = await meter(accountId);
    return lots.filter((lot) => lot.source === source).reduce((sum, lot) => sum + lot.granted / 1_000_000, 0);
  }

  const balance = async (accountId: number): Promise<number> => (await meter(accountId)).spendable / 1_000_000;

  /** Spends until this many whole credits are left. */
  const leave = (accountId: number, credits: number) =>
    core.metering().change(accountId, time, (current) => ({
      meter: { ...current, spendable: credits * 1_000_000, seq: current.seq + 1 },
      entries: [],
    }));

  async function differences() {
    const found = [await payments.reconciliation.fromProvider(0), await payments.reconciliation.fromOrders()];
    return found.flatMap((one) => one.differences);
  }

  async function close(): Promise<void> {
    await stand.close();
    endpoint.closeAllConnections();
    endpoint.close();
    dynamoClient().destroy();
    ambient.clock = before;
    restore();
    await database.close();
  }

  return {
    now: () => time,
    /** Sells a plan on other terms from now on. */
    sell: (rank: number, terms: Partial<PlanLimits>) => void sold.set(rank, terms),
    seconds: () => Math.floor(time / 1000),
    stand,
    stripe,
    payments,
    plans,
    metering: core.metering(),
    queued,
    account,
    purge,
    drain,
    sweep,
    move,
    moveTo,
    jump,
    open,
    script,
    buy,
    subscriber,
    cardholder,
    profile,
    meter,
    order,
    orders,
    useCard,
    charges,
    collected,
    granted,
    balance,
    leave,
    differences,
    /** Ends the process at a write: it and all later ones fail. Undefined starts a new process. */
    die(at: Death | undefined): void {
      death = at;
      writes = 0;
    },
    writes: () => writes,
    queueDown: (isDown: boolean) => void (isQueueDown = isDown),
    close,
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/**
 * Starts payments before each test, because every month that passes renews the plans of all accounts. After each test,
 * payments and credits must be equal.
 */
export function usePayingWorld(options: WorldOptions = {}): World {
  const world = {} as World;
  beforeEach(async () => void Object.assign(world, await startWorld(options)));
  afterEach(async () => {
    try {
      expect(await world.differences()).toEqual([]);
    } finally {
      await world.close();
    }
  });
  return world;
}
