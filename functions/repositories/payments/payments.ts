import { type DynamoDBDocumentClient, paginateScan, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { planFeatures } from '#contract/offer/offer.ts';
import { orderKinds, orderStates, topUpFailures } from '#contract/payments/payments.ts';
import { tables } from '#contract/platform/resources.ts';
import { daySeconds } from '#contract/shared/time.ts';
import {
  type BillingProfile,
  type ChangedMeter,
  dueOf,
  type Order,
  type OrderRef,
  type OrderStore,
  type ProfileChange,
} from '#domain/payments/order.ts';
import { seconds } from '../accounts/account-items.ts';
import { meterReplacement } from '../meter/meters.ts';
import { conditionally } from '../shared/conditional.ts';
import { keysIn } from '../shared/deletion.ts';
import { dueItems, everyShard } from '../shared/due.ts';
import { newestFirst } from '../shared/pages.ts';
import { accountPartition, readable, readItem } from '../shared/read-items.ts';
import { failedItems, putNew, type TransactItem } from '../shared/transaction.ts';

/** Partitions of the sweep's index. */
const paymentShards = 8;

const orderPrefix = 'order#';
const orderKey = ({ accountId, id }: OrderRef) => ({ pk: accountPartition(accountId), sk: `${orderPrefix}${id}` });
const profileKey = (accountId: number) => ({ pk: accountPartition(accountId), sk: 'profile' });
const customerKey = (customer: string) => ({ pk: `customer#${customer}`, sk: 'customer' });
const eventKey = (id: string) => ({ pk: `event#${id}`, sk: 'event' });

/** Days for which an event is stored. Stripe retries an event for three days. */
const eventDays = 35;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Period = v.object({ start: count, end: count });

const MonthTerms = v.object({ cents: count, credits: count });

const PlanTerms = v.object({
  price: v.nullable(v.number()),
  creditsPerMonth: v.nullable(count),
  callsPerMonth: v.nullable(count),
  callsPerMinute: v.nullable(count),
  maxConcurrentCalls: count,
  features: v.array(v.picklist(planFeatures)),
});

const BeforeUpgrade = v.object({
  seq: v.exactOptional(count),
  isCancelled: v.boolean(),
  cancellation: v.exactOptional(count),
  isPaid: v.boolean(),
  pending: v.exactOptional(v.object({ planId: v.string(), planRank: count, terms: v.exactOptional(PlanTerms) })),
});

const StoredOrder = v.object({
  accountId: count,
  id: v.string(),
  kind: v.picklist(orderKinds),
  state: v.picklist(orderStates),
  cents: count,
  credits: count,
  createdAt: count,
  expiresAt: v.exactOptional(count),
  packId: v.exactOptional(v.string()),
  planId: v.exactOptional(v.string()),
  period: v.exactOptional(Period),
  upgrade: v.exactOptional(
    v.object({
      anchor: count,
      index: count,
      fromRank: count,
      credits: count,
      resumes: v.boolean(),
      month: v.exactOptional(MonthTerms),
      from: v.exactOptional(MonthTerms),
      before: v.exactOptional(BeforeUpgrade),
    }),
  ),
  lot: v.exactOptional(v.object({ id: count, expiresAt: count })),
  provider: v.object({
    session: v.exactOptional(v.string()),
    invoice: v.exactOptional(v.string()),
    subscription: v.exactOptional(v.string()),
    payment: v.exactOptional(v.string()),
  }),
  url: v.exactOptional(v.string()),
  receiptUrl: v.exactOptional(v.string()),
  invoiceUrl: v.exactOptional(v.string()),
  paidAt: v.exactOptional(count),
  failure: v.exactOptional(v.string()),
  chargedCents: v.exactOptional(count),
  balanceCents: v.exactOptional(count),
  refundedCents: v.exactOptional(count),
  disputedCents: v.exactOptional(count),
  refundRejectedAt: v.exactOptional(count),
  taken: v.exactOptional(count),
  shortfall: v.exactOptional(count),
  cancellation: v.exactOptional(count),
  revision: count,
});

const StoredProfile = v.object({
  accountId: count,
  customer: v.exactOptional(v.string()),
  subscription: v.exactOptional(v.string()),
  ended: v.exactOptional(v.array(v.string())),
  alignAt: v.exactOptional(count),
  charging: v.exactOptional(v.string()),
  chargingSince: v.exactOptional(count),
  declines: v.exactOptional(v.array(count)),
  topUp: v.exactOptional(
    v.object({
      threshold: count,
      packId: v.string(),
      monthlyLimit: count,
      state: v.picklist(['on', 'off', 'action_required']),
      failures: count,
      retryAt: v.exactOptional(count),
      lastFailure: v.exactOptional(v.object({ reason: v.picklist(topUpFailures), at: count })),
    }),
  ),
  revision: count,
});

const StoredEvent = v.object({
  id: v.string(),
  type: v.string(),
  objectId: v.string(),
  receivedAt: count,
  finishedAt: v.exactOptional(count),
});

/** Orders, profiles, customers and events in the table `payments`. */
export function paymentStore(client: DynamoDBDocumentClient, table: string, meters: () => string): OrderStore {
  const put = (Item: Record<string, unknown>, revision: number) => ({
    TableName: table,
    Item,
    ConditionExpression: revision === 0 ? 'attribute_not_exists(pk)' : 'revision = :before',
    ...(revision > 0 && { ExpressionAttributeValues: { ':before': revision } }),
  });

  async function saved<Row extends Order | BillingProfile>(item: TransactItem['Put'], row: Row) {
    if (!item) return undefined;
    return 'done' in (await conditionally(client.send(new PutCommand(item)))) ? row : undefined;
  }

  async function profile(accountId: number): Promise<BillingProfile> {
    const item = await readItem(client, table, profileKey(accountId));
    return item ? v.parse(StoredProfile, item) : { accountId, revision: 0 };
  }

  function meterUpdate({ before, after, entries }: ChangedMeter): TransactItem {
    const { ReturnValuesOnConditionCheckFailure: _all, ...update } = meterReplacement(before, after, entries);
    return { Update: { TableName: meters(), ...update } };
  }

  const profilePut = (before: BillingProfile, after: BillingProfile) => put(profileRow(after), before.revision);

  return {
    async add(order) {
      return 'done' in (await conditionally(client.send(new PutCommand(put(orderRow(order), 0)))));
    },
    async find(ref) {
      const item = await readItem(client, table, orderKey(ref));
      return item && v.parse(StoredOrder, item);
    },
    async page(accountId, { limit, cursor }) {
      return newestFirst(client, table, {
        pk: accountPartition(accountId),
        prefix: orderPrefix,
        cursor,
        limit,
        schema: StoredOrder,
      });
    },
    async *all() {
      const scan = {
        TableName: table,
        FilterExpression: 'begins_with(sk, :orders)',
        ExpressionAttributeValues: { ':orders': orderPrefix },
      };
      for await (const { Items = [] } of paginateScan({ client }, scan)) yield* readable(StoredOrder, Items);
    },
    async save(before, change) {
      const after = { ...before, ...change, revision: before.revision + 1 };
      return saved(put(orderRow(after), before.revision), after);
    },
    async saveWithMeter(before, change, meter) {
      const order = { ...before, ...change, revision: before.revision + 1 };
      const failed = await failedItems(client, [{ Put: put(orderRow(order), before.revision) }, meterUpdate(meter)]);
      if (failed.length === 0) return 'done';
      return failed.includes(0) ? 'order changed' : 'meter changed';
    },
    profile,
    async saveProfile(before, change) {
      const after = changed(before, change);
      return saved(profilePut(before, after), after);
    },
    async saveProfileWithMeter(before, change, meter) {
      const items = [{ Put: profilePut(before, changed(before, change)) }, meterUpdate(meter)];
      return (await failedItems(client, items)).length === 0;
    },
    async saveCustomer(before, customer) {
      const after = { ...before, customer, revision: before.revision + 1 };
      const owner = putNew(table, { ...customerKey(customer), accountId: before.accountId });
      const failed = await failedItems(client, [{ Put: profilePut(before, after) }, owner]);
      return failed.length === 0 ? after : undefined;
    },
    async accountOf(customer) {
      const item = await readItem(client, table, customerKey(customer));
      return item && v.parse(v.object({ accountId: count }), item).accountId;
    },
    async removeLinks(accountId) {
      for await (const { pk, sk } of keysIn(client, table, accountPartition(accountId), orderPrefix)) {
        const removal = new UpdateCommand({
          TableName: table,
          Key: { pk, sk },
          // The revision makes a concurrent write of the order fail, which would store the links again.
          UpdateExpression: 'SET revision = revision + :one REMOVE #url, receiptUrl, invoiceUrl',
          ConditionExpression: 'attribute_exists(#url) OR attribute_exists(receiptUrl) OR attribute_exists(invoiceUrl)',
          ExpressionAttributeNames: { '#url': 'url' },
          ExpressionAttributeValues: { ':one': 1 },
        });
        await conditionally(client.send(removal));
      }
    },
    async *due(now) {
      const index = { table, index: 'due', time: tables.payments.indexes.due.sortKey.name };
      for await (const item of dueItems(client, index, everyShard(paymentShards), seconds(now))) {
        for (const { pk, sk } of readable(v.object({ pk: v.string(), sk: v.string() }), [item])) {
          const accountId = Number(pk.slice(pk.indexOf('#') + 1));
          yield sk.startsWith(orderPrefix) ? { accountId, id: sk.slice(orderPrefix.length) } : { accountId };
        }
      }
    },
    async receive(event) {
      const write = new PutCommand({
        TableName: table,
        Item: { ...eventKey(event.id), ...event, ttl: seconds(event.receivedAt) + eventDays * daySeconds },
        ConditionExpression: 'attribute_not_exists(finishedAt)',
      });
      return 'done' in (await conditionally(client.send(write)));
    },
    async event(id) {
      const item = await readItem(client, table, eventKey(id));
      return item && v.parse(StoredEvent, item);
    },
    async finish(id, at) {
      const write = new UpdateCommand({
        TableName: table,
        Key: eventKey(id),
        UpdateExpression: 'SET finishedAt = :at',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':at': at },
      });
      await conditionally(client.send(write));
    },
  };
}

function changed(before: BillingProfile, change: ProfileChange): BillingProfile {
  const fields = Object.entries({ ...before, ...change, revision: before.revision + 1 });
  return v.parse(StoredProfile, Object.fromEntries(fields.filter(([, value]) => value !== undefined)));
}

function orderRow(order: Order): Record<string, unknown> {
  const due = dueOf(order);
  return {
    ...orderKey(order),
    ...order,
    ...(due !== undefined && { p: order.accountId % paymentShards, due: seconds(due) }),
  };
}

function profileRow(profile: BillingProfile): Record<string, unknown> {
  const moments = [profile.alignAt, profile.topUp?.retryAt].filter((at) => at !== undefined);
  return {
    ...profileKey(profile.accountId),
    ...profile,
    ...(moments.length > 0 && { p: profile.accountId % paymentShards, due: seconds(Math.min(...moments)) }),
  };
}
