import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { limits } from '#contract/shared/limits.ts';
import { dayOf } from '#contract/shared/time.ts';
import { addresseeOf, wantsMail } from '#domain/accounts/mail-preferences.ts';
import type { Recipient } from '#domain/organizations/organization.ts';
import type { Random } from '#domain/shared/ports.ts';
import { type DeliveryStore, type Lease, retentionMs, webhookDisabledMail } from '#domain/webhooks/delivery.ts';
import { type DisabledReason, type Health, type WebhookRef, hasMessage, speedOf } from '#domain/webhooks/webhook.ts';
import { seconds } from '../accounts/account-items.ts';
import { mailsTo, recipientsOf } from '../accounts/recipients.ts';
import { conditionally } from '../shared/conditional.ts';
import { dueItems, everyShard } from '../shared/due.ts';
import { accountPartition, Key, sortKeyOf } from '../shared/read-items.ts';
import { type TransactItem, commit } from '../shared/transaction.ts';
import {
  isRequested,
  leaseOf,
  timeOf,
  placesUntil,
  refOf,
  shardOf,
  shards,
  webhookKey,
  webhookOf,
  webhookPartition,
  webhookPrefix,
} from './webhooks.ts';

type Leases = Pick<
  DeliveryStore,
  'wake' | 'acquire' | 'workersBefore' | 'release' | 'park' | 'disable' | 'webhooksDue' | 'takeDue'
>;

export interface WebhookTables {
  readonly webhooks: string;
  readonly accounts: () => string;
}

/** Milliseconds after a wake-up during which the worker is assumed to be starting. */
const onTheWayMs = 5000;

/** Milliseconds for which a visible message is expected in the queue. After it the sweep sends another one. */
const messageMs = 120_000;

const index = 'due';
/** Later than any time. */
const everything = 999_999_999_999_999;

/** Returns when a webhook's message is overdue: immediately if it is due too late to have a message. */
const messageUntil = (at: number, now: number): number => (hasMessage(at, now) ? at + messageMs : at);

/** One read returns all webhooks of an account (`limits.webhooks`). */
const Held = v.array(v.object({ lease: v.number(), token: v.string() }));
const Woken = v.object({
  lease: v.optional(v.number(), 0),
  due: v.optional(v.number()),
  token: v.optional(v.string()),
});

const names = {
  '#due': 'due',
  '#lane': 'lane',
  '#lease': 'lease',
  '#message': 'message',
  '#status': 'status',
  '#token': 'token',
  '#wake': 'wake',
};
const namesOf = (...expressions: readonly string[]) =>
  Object.fromEntries(Object.entries(names).filter(([name]) => expressions.some((text) => text.includes(name))));

/** `publicOrigin`: base URL of links in emails. */
export function leases(
  client: DynamoDBDocumentClient,
  tables: WebhookTables,
  publicOrigin: string,
  random: Random,
): Leases {
  const { webhooks: TableName } = tables;

  function update(ref: WebhookRef, set: string, condition: string, values: Record<string, unknown>) {
    return {
      TableName,
      Key: webhookKey(ref),
      UpdateExpression: set,
      ConditionExpression: condition,
      ExpressionAttributeNames: namesOf(set, condition),
      ExpressionAttributeValues: values,
    };
  }

  const write = (input: ReturnType<typeof update>) =>
    conditionally(
      client.send(
        new UpdateCommand({ ...input, ReturnValues: 'ALL_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      ),
    );

  const wake: Leases['wake'] = async (ref, at, now, isForced = false) => {
    const input = update(
      ref,
      `SET #wake = :wake, #due = :at, #message = :message, p = :shard${isForced ? ' REMOVE pausedUntil' : ''}`,
      'attribute_exists(pk) AND #status = :active',
      {
        ':wake': Buffer.from(random.bytes(9)).toString('base64url'),
        ':at': at,
        ':message': messageUntil(at, now),
        ':shard': shardOf(ref),
        ':active': 'active',
      },
    );
    const outcome = await conditionally(client.send(new UpdateCommand({ ...input, ReturnValues: 'ALL_OLD' })));
    if (!('done' in outcome)) return false;
    const { lease, due } = v.parse(Woken, outcome.done.Attributes);
    if (lease > now) return false;
    const isOnTheWay = due !== undefined && due <= at && due > now - onTheWayMs;
    return isForced || !isOnTheWay;
  };

  const acquire: Leases['acquire'] = async (ref, { token, speed, until }, now) => {
    const isFree = '(attribute_not_exists(#lease) OR #lease <= :now)';
    const isAwake = '(attribute_not_exists(pausedUntil) OR pausedUntil <= :now)';
    const outcome = await write(
      update(
        ref,
        'SET #lease = :until, #token = :token, #lane = :lane, #due = :until, p = :shard REMOVE #message',
        `#status = :active AND ${isFree} AND ${isAwake}`,
        {
          ':now': now,
          ':until': until,
          ':token': token,
          ':lane': speed,
          ':shard': shardOf(ref),
          ':active': 'active',
        },
      ),
    );
    return 'done' in outcome ? leaseOf(outcome.done.Attributes) : undefined;
  };

  const workersBefore: Leases['workersBefore'] = async ({ webhook, speed, token, until }, now) => {
    const query = new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :webhooks)',
      FilterExpression: '#lease > :now AND #lane = :lane',
      ProjectionExpression: '#lease, #token',
      ExpressionAttributeNames: { '#lease': 'lease', '#lane': 'lane', '#token': 'token' },
      ExpressionAttributeValues: {
        ':pk': accountPartition(webhook.accountId),
        ':webhooks': webhookPrefix,
        ':now': now,
        ':lane': speed,
      },
      ConsistentRead: true,
    });
    const held = v.parse(Held, (await client.send(query)).Items);
    const isBefore = (one: v.InferOutput<typeof Held>[number]): boolean =>
      one.lease < until || (one.lease === until && one.token < token);
    return new Set(held.filter(isBefore).map((one) => one.token)).size;
  };

  const release: Leases['release'] = async (lease, health, now) => {
    const { webhook, token } = lease;
    const dueAt = await nextDueTime(webhook, health);
    const set = [
      'SET failures = :failures',
      ...(dueAt === undefined ? [] : ['#due = :due', '#message = :message']),
      ...(health.failingSince === undefined ? [] : ['failingSince = :since']),
      ...(health.pausedUntil === undefined ? [] : ['pausedUntil = :paused']),
      ...(health.isSlow ? ['isSlow = :slow'] : []),
    ].join(', ');
    const removed = [
      '#lease',
      '#token',
      '#lane',
      ...(dueAt === undefined ? ['p', '#due'] : []),
      ...(health.failingSince === undefined ? ['failingSince'] : []),
      ...(health.pausedUntil === undefined ? ['pausedUntil'] : []),
      ...(health.isSlow ? [] : ['isSlow']),
    ].join(', ');
    const isUnchanged = '#token = :token AND #wake = :wake AND revision = :revision';
    const outcome = await write(
      update(webhook, `${set} REMOVE ${removed}`, isUnchanged, {
        ':failures': health.failures,
        ...(dueAt !== undefined && { ':due': dueAt, ':message': messageUntil(dueAt, now) }),
        ...(health.failingSince !== undefined && { ':since': health.failingSince }),
        ...(health.pausedUntil !== undefined && { ':paused': health.pausedUntil }),
        ...(health.isSlow && { ':slow': true }),
        ':token': token,
        ':wake': lease.wake,
        ':revision': webhook.revision,
      }),
    );
    if ('done' in outcome) return { dueAt };
    const isOurs = outcome.met !== undefined && v.parse(Woken, outcome.met).token === token;
    return isOurs ? { renewed: leaseOf(outcome.met) } : { dueAt: undefined };
  };

  const takeDue: Leases['takeDue'] = async (ref, now) => {
    const condition = '#due <= :now AND (attribute_not_exists(#message) OR #message <= :now)';
    const taken = update(ref, 'SET #message = :until', condition, { ':now': now, ':until': now + messageMs });
    const outcome = await write(taken);
    return 'done' in outcome ? speedOf(webhookOf(outcome.done.Attributes).health) : undefined;
  };

  async function nextDueTime({ id }: WebhookRef, { pausedUntil = 0 }: Health): Promise<number | undefined> {
    const query = new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': webhookPartition(id), ...placesUntil(everything) },
      ConsistentRead: true,
      Limit: 1,
    });
    const [first] = (await client.send(query)).Items ?? [];
    if (!first) return undefined;
    const sk = sortKeyOf(first);
    return isRequested(sk) ? timeOf(sk) : Math.max(timeOf(sk), pausedUntil);
  }

  const park: Leases['park'] = async ({ webhook, token }) => {
    await write(update(webhook, 'REMOVE #lease, #token, #lane, p, #due', '#token = :token', { ':token': token }));
  };

  const disable: Leases['disable'] = async (lease, reason, now) => {
    const { webhook, token } = lease;
    const disabled = update(
      webhook,
      'SET #status = :disabled, disabledReason = :reason, revision = :next REMOVE #lease, #token, #lane, p, #due, pausedUntil',
      '#token = :token AND revision = :revision',
      {
        ':disabled': 'disabled',
        ':reason': reason,
        ':next': webhook.revision + 1,
        ':token': token,
        ':revision': webhook.revision,
      },
    );
    const mail = await noticeOf(lease, reason, now);
    if (await commit(client, [{ Update: disabled }, ...mail])) return;
    await commit(client, [{ Update: disabled }]);
  };

  async function noticeOf({ webhook }: Lease, reason: DisabledReason, now: number) {
    const { accountId } = webhook;
    const members = await recipientsOf(client, tables.accounts(), accountId, 'manage');
    const recipients = members.filter((to) => wantsMail(to, 'webhooks'));
    if (recipients.length === 0) return [];
    const { host } = new URL(webhook.url);
    const id = `webhook-${webhook.id}-${webhook.revision}`;
    const content = (to: Recipient) =>
      webhookDisabledMail(addresseeOf(to, publicOrigin), { host, reason }, `${publicOrigin}/webhooks`);
    const letters = mailsTo(tables.accounts(), accountId, recipients, { id, at: now, content });
    return [noticeItem(TableName, accountId, now), ...letters];
  }

  async function* webhooksDue(now: number): AsyncGenerator<WebhookRef> {
    const due = { table: TableName, index, time: 'due' };
    for await (const item of dueItems(client, due, everyShard(shards), now)) yield refOf(v.parse(Key, item));
  }

  return { wake, acquire, workersBefore, release, park, disable, webhooksDue, takeDue };
}

/** Fails at the daily limit (UTC) of emails to an account, because webhooks can be created and enabled in a loop. */
function noticeItem(table: string, accountId: number, now: number): TransactItem {
  const date = dayOf(now);
  return {
    Update: {
      TableName: table,
      Key: { pk: accountPartition(accountId), sk: `notices#${date}` },
      UpdateExpression: 'SET #ttl = :ttl ADD mails :one',
      ConditionExpression: 'attribute_not_exists(mails) OR mails < :max',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':one': 1, ':max': limits.webhooks, ':ttl': seconds(now + retentionMs) },
    },
  };
}
