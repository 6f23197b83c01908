import { DeleteCommand, GetCommand, paginateQuery, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { afterEach } from 'vitest';
import { type Plans, planOfRank } from '#contract/billing/plans.ts';
import type { ServiceName } from '#contract/billing/prices.ts';
import { tables } from '#contract/platform/resources.ts';
import { type LimitPeriod, limitPeriods } from '#contract/shared/limits.ts';
import type { ArchiveFiles } from '#domain/billing/archive.ts';
import { renewals, openMeter } from '#domain/billing/grants.ts';
import { type LedgerRow, projectInOrder } from '#domain/billing/ledger.ts';
import { utcDays } from '#domain/billing/statements.ts';
import { subscriptionService } from '#domain/billing/subscriptions.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { metering, type OpenHold } from '#domain/meter/metering.ts';
import { refunds } from '#domain/meter/refund.ts';
import { archivedLedger } from '#repositories/billing/archive.ts';
import { auditReads } from '#repositories/billing/audit-reads.ts';
import { LedgerItem, rowKey } from '#repositories/billing/ledger-items.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { statementStore } from '#repositories/billing/statements.ts';
import { keyRow } from '#repositories/meter/key-rows.ts';
import { closingOf } from '#repositories/meter/meter-calls.ts';
import { meterImageOf, newMeterRow } from '#repositories/meter/meter-item.ts';
import { meterStore, StoredCharge, writeRefund } from '#repositories/meter/meters.ts';
import { failedItems, putNew } from '#repositories/shared/transaction.ts';
import { ambient } from '#runtime/process.ts';
import { type Fault, faultyClient } from '../database/faulty-client.ts';
import { start } from './meters.ts';

export type LedgerAccount = Awaited<ReturnType<typeof openLedgerAccount>>;

export interface LedgerAccountOptions {
  /** Default: the next number of the process. */
  readonly id?: number;
  /** The fault of each attempt by the account's client. */
  readonly fault?: (requestId: string) => Fault;
  /** Time of its registration, epoch seconds. */
  readonly at?: number;
  /** Default: the listing's credits without its call limits. */
  readonly plans?: Plans;
  /** Microcredits that each limited key may spend per period. */
  readonly keyLimit?: number;
  /** The archive of its ledger. By default reading it fails. */
  readonly files?: () => Promise<ArchiveFiles>;
}

/** The listing's prices and credits, with no limit on the number of calls. */
const unhurriedPlans: Plans = (rank) => ({ ...planOfRank(rank), callsPerMinute: null, maxConcurrentCalls: 1000 });

const limitedKey = (period: LimitPeriod): string => `limited-${period}`;

let accounts = 900_000;

/** For a ledger without closed months. */
export const noFiles = (): Promise<ArchiveFiles> => Promise.reject(new Error('there is no archive here'));

/** Opens an account like a registration, with a key, its own clock, and a ledger that is projected on demand. */
export async function openLedgerAccount(
  url: string,
  {
    id = (accounts += 1),
    fault,
    at = start / 1000,
    plans = unhurriedPlans,
    keyLimit = 0,
    files = noFiles,
  }: LedgerAccountOptions = {},
) {
  const calm = faultyClient(url);
  const { client, images } = faultyClient(url, fault);
  const opened = openMeter(id, at, plans);
  const expiresAt = 4_000_000_000;
  const limitedKeys = Object.fromEntries(
    limitPeriods.map((period) => [
      limitedKey(period),
      keyRow({ expiresAt, limit: { budget: limitedKey(period), amount: keyLimit, period } }),
    ]),
  );
  const Item = { ...newMeterRow(opened.meter, opened.entries), k: { 'key-1': expiresAt, ...limitedKeys } };
  await calm.client.send(new PutCommand({ TableName: tables.meters.name, Item }));
  images.push(Item);

  const clock = { seconds: at, now: () => clock.seconds * 1000 };
  let [made, projected] = [0, 0];
  const random = { bytes: (size: number) => Buffer.alloc(size).fill(`${id}-${(made += 1)}`) };
  const meters = metering(meterStore(client, tables.meters.name, ambient.random), renewals(plans));
  const subscriptions = subscriptionService(
    meters,
    { payments: async () => undefined, enforceChangeLimit: async () => undefined },
    plans,
    clock,
    random,
  );
  const archived = archivedLedger(calm.client, tables.ledger.name, files);
  const ledger = { ledger: tables.ledger.name, accounts: tables.accounts.name };
  const reads = () => auditReads(calm.client, tables.meters.name, tables.ledger.name, archived);

  /** Requests admission for this many microcredits. */
  function admit(amount: number, service: ServiceName = 'chat', limited?: LimitPeriod): Promise<OpenHold> {
    made += 1;
    const attempt = {
      accountId: id,
      keyId: limited ? limitedKey(limited) : 'key-1',
      requestId: `call-${made}`,
      service,
      model: 'svc-1',
      minPlanRank: 1,
    };
    const deadline = clock.seconds + 150;
    return meters.admit({ ...attempt, amount, now: clock.now(), deadline, isStream: true });
  }

  const chargeKey = (requestId: string) => ({ pk: `life#${id}`, sk: requestId });
  const transcriptions = tables.transcriptions.name;

  /** A transaction returns no image, so read the row. */
  async function noteImage(): Promise<void> {
    const { Item: item } = await calm.client.send(
      new GetCommand({ TableName: tables.meters.name, Key: { a: id }, ConsistentRead: true }),
    );
    if (item?.['last']) images.push(item);
  }

  return {
    id,
    clock,
    meters,
    subscriptions,
    images,
    reads,
    admit,
    /** Admits and settles a call. */
    async call(held: number, cost: number, service?: ServiceName): Promise<void> {
      const openHold = await admit(held, service);
      await openHold.settle(cost, clock.now());
    },
    /** Settles a hold in full and stores its charge, as jobs and messages do. */
    async keep(openHold: OpenHold): Promise<string> {
      let requestId = '';
      const written = await openHold.settleWith(openHold.held, clock.now(), async (settlement, kept) => {
        requestId = kept.requestId;
        const row = putNew(transcriptions, { ...chargeKey(requestId), charge: kept });
        const failed = await failedItems(client, [closingOf(tables.meters.name, settlement), row]);
        return failed.includes(0) ? 'meter changed' : 'done';
      });
      if (written !== 'done') return written;
      await noteImage();
      return requestId;
    },
    /** Refunds part of a stored charge, in the transaction that ends the charged item. */
    async refund(requestId: string, amount: number): Promise<string> {
      const Key = chargeKey(requestId);
      const { Item: row } = await calm.client.send(new GetCommand({ TableName: transcriptions, Key }));
      const { charge } = v.parse(v.object({ charge: StoredCharge }), row);
      const end = { Delete: { TableName: transcriptions, Key, ConditionExpression: 'attribute_exists(pk)' } };
      const giveBack = refunds(meters, clock);
      const written = await giveBack(id, charge, { amount }, (write) =>
        writeRefund(client, tables.meters.name, write, end),
      );
      if (written === 'done') await noteImage();
      return written;
    },
    /** A page of the ledger as its owner reads it. */
    history: (limit: number, before: number) =>
      statementStore(calm.client, tables.ledger.name, archived).page(id, limit, before),
    /** The usage of its whole life as its owner reads it. */
    usage: async () => {
      const question = { from: '2000-01-01', to: '2100-01-01', group: undefined, after: undefined, spans: utcDays };
      return (await statementStore(calm.client, tables.ledger.name, archived).usage(id, question)).rows;
    },
    current: (): Promise<Meter> => meters.current(id, clock.now()),
    /** All rows up to a `seq`, oldest first. */
    async rows(seq: number): Promise<LedgerRow[]> {
      const query = {
        TableName: tables.ledger.name,
        KeyConditionExpression: 'a = :account AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':account': id, ':from': rowKey(id, 0).sk, ':to': rowKey(id, seq).sk },
        ConsistentRead: true,
      };
      const pages = await Array.fromAsync(paginateQuery({ client: calm.client }, query));
      return pages.flatMap(({ Items = [] }) => Items.map((item) => v.parse(LedgerItem, item)));
    },
    /** Projects the writes since the last projection. */
    async project(): Promise<void> {
      const store = ledgerStore(calm.client, ledger, 'http://127.0.0.1');
      const batch = images.slice(projected).map(meterImageOf);
      projected = images.length;
      await projectInOrder(store, batch, clock.now());
    },
    async close(): Promise<void> {
      await calm.client.send(new DeleteCommand({ TableName: tables.meters.name, Key: { a: id } }));
      client.destroy();
      calm.client.destroy();
    },
  };
}

/** Opens accounts that are closed after each test. */
export function useLedgerAccounts(database: { readonly url: string }) {
  const opened: LedgerAccount[] = [];
  afterEach(async () => {
    for (const account of opened.splice(0)) await account.close();
  });
  return async (options: LedgerAccountOptions = {}): Promise<LedgerAccount> => {
    const account = await openLedgerAccount(database.url, options);
    opened.push(account);
    return account;
  };
}
