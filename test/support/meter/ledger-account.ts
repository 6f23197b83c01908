import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { type Plans, planOfRank } from '#contract/billing/plans.ts';
import type { ServiceName } from '#contract/billing/prices.ts';
import { tables } from '#contract/platform/tables.ts';
import { type LedgerRow, projectLedger } from '#domain/billing/ledger.ts';
import { noPayments } from '#domain/billing/payments.ts';
import { subscriptionService } from '#domain/billing/subscriptions.ts';
import { openMeter } from '#domain/meter/credits/billing.ts';
import type { Meter } from '#domain/meter/meter.ts';
import type { OpenHold } from '#domain/meter/metering.ts';
import { metering } from '#domain/meter/metering.ts';
import { auditReads } from '#repositories/billing/audit-reads.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { meterImageOf, newMeterRow } from '#repositories/meter/meter-item.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/shared/ambient.ts';
import { type Fault, faultyClient } from '../database/faulty-client.ts';
import { start } from './meters.ts';

export type LedgerAccount = Awaited<ReturnType<typeof openLedgerAccount>>;

export interface LedgerAccountOptions {
  /** What each attempt of the account's client suffers. */
  readonly fault?: (requestId: string) => Fault;
  /** When it is opened, epoch seconds. */
  readonly at?: number;
  /** Unless given, the listing's credits without its limits on calls: what a test of money wants. */
  readonly plans?: Plans;
}

/** The listing's prices and credits, with no limit on the number of calls. */
const unhurriedPlans: Plans = (rank) => ({ ...planOfRank(rank), callsPerMinute: null, maxConcurrentCalls: 1000 });

let accounts = 900_000;

/** An account as registration opens it, with a key, a clock of its own, and a ledger that is projected on demand. */
export async function openLedgerAccount(
  url: string,
  { fault, at = start / 1000, plans = unhurriedPlans }: LedgerAccountOptions = {},
) {
  accounts += 1;
  const id = accounts;
  const calm = faultyClient(url);
  const { client, images } = faultyClient(url, fault);
  const opened = openMeter(id, at, plans);
  const Item = { ...newMeterRow(opened.meter, opened.entries), k: { 'key-1': 4_000_000_000 } };
  await calm.client.send(new PutCommand({ TableName: tables.meters.name, Item }));
  images.push(Item);

  const clock = { seconds: at, now: () => clock.seconds * 1000 };
  let [made, projected] = [0, 0];
  const random = { bytes: (size: number) => Buffer.alloc(size).fill(`${id}-${(made += 1)}`) };
  const meters = metering(meterStore(client, tables.meters.name, ambient.random), plans);
  const subscriptions = subscriptionService(
    meters,
    { payments: noPayments, demandChange: async () => undefined },
    plans,
    clock,
    random,
  );
  const ledger = { ledger: tables.ledger.name, accounts: tables.accounts.name };
  const reads = () => auditReads(calm.client, tables.meters.name, tables.ledger.name);

  /** Requests admission for so many microcredits. */
  function admit(amount: number, service: ServiceName = 'chat'): Promise<OpenHold> {
    made += 1;
    const attempt = {
      accountId: id,
      keyId: 'key-1',
      requestId: `call-${made}`,
      service,
      model: 'svc-1',
      minPlanRank: 1,
    };
    return meters.admit({ ...attempt, amount, now: clock.now(), deadline: clock.seconds + 150 });
  }

  return {
    id,
    clock,
    meters,
    subscriptions,
    images,
    reads,
    admit,
    /** A call from beginning to end. */
    async call(held: number, cost: number, service?: ServiceName): Promise<void> {
      const openHold = await admit(held, service);
      await openHold.settle(cost, clock.now());
    },
    current: (): Promise<Meter> => meters.current(id, clock.now()),
    rows: (seq: number): Promise<LedgerRow[]> => reads().rows(id, seq),
    /** Does the projector's work for what was written since. */
    async project(): Promise<void> {
      const store = ledgerStore(calm.client, ledger, 'http://127.0.0.1');
      while (projected < images.length) await projectLedger(store, meterImageOf(images[projected++]));
    },
    async close(): Promise<void> {
      await calm.client.send(new DeleteCommand({ TableName: tables.meters.name, Key: { a: id } }));
      client.destroy();
      calm.client.destroy();
    },
  };
}
