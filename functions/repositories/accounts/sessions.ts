import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { organizationRoles } from '#contract/organizations/roles.ts';
import type { Device, DeviceStore, Holder, SessionStore } from '#domain/accounts/sessions.ts';
import type { OutgoingMail } from '#domain/shared/ports.ts';
import { conditionally } from '../shared/conditional.ts';
import { notAllRead, readItem, readPrefix, readable } from '../shared/read-items.ts';
import { commit } from '../shared/transaction.ts';
import {
  accountOf,
  deviceKey,
  mailItems,
  memberKey,
  organizationKey,
  seconds,
  sessionKey,
  storedInstant,
  userKey,
} from './account-items.ts';

/** Rows of earlier versions have no origin. */
const name = v.optional(v.nullable(v.string()), null);

const SessionRow = v.object({
  digest: v.string(),
  browser: name,
  system: name,
  country: name,
  isLocal: v.optional(v.boolean(), false),
  createdAt: storedInstant,
  lastSeenAt: storedInstant,
  expiresAt: storedInstant,
  sessionsValidFrom: v.optional(v.number(), 0),
  byPasskey: v.exactOptional(v.boolean()),
});

export function sessionStore(client: DynamoDBDocumentClient, table: string): SessionStore {
  async function touch(accountId: number, digest: string, now: number): Promise<void> {
    const write = new UpdateCommand({
      TableName: table,
      Key: sessionKey(accountId, digest),
      UpdateExpression: 'SET lastSeenAt = :now',
      ConditionExpression: 'lastSeenAt < :now',
      ExpressionAttributeValues: { ':now': now },
    });
    await conditionally(client.send(write));
  }

  const isShared = async (accountId: number): Promise<boolean> =>
    (await readItem(client, table, organizationKey(accountId))) !== undefined;

  return { ...digestRows(client, table, sessionKey, SessionRow), touch, isShared };
}

const DeviceRow = v.object({
  digest: v.string(),
  createdAt: storedInstant,
  expiresAt: storedInstant,
  lastUsedAt: v.exactOptional(storedInstant),
  sessionsValidFrom: v.number(),
});

export function deviceStore(client: DynamoDBDocumentClient, table: string): DeviceStore {
  async function use(accountId: number, digest: string, now: number): Promise<void> {
    const write = new UpdateCommand({
      TableName: table,
      Key: deviceKey(accountId, digest),
      UpdateExpression: 'SET lastUsedAt = :now',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':now': now },
    });
    await conditionally(client.send(write));
  }

  const rows = digestRows(client, table, deviceKey, DeviceRow);

  async function open(accountId: number, device: Device, notice?: OutgoingMail): Promise<void> {
    if (!notice) return rows.open(accountId, device);
    const mail = mailItems(table, accountId, notice, device.createdAt);
    await commit(client, [{ Put: { TableName: table, Item: rows.itemOf(accountId, device) } }, ...mail]);
  }

  return { ...rows, open, use };
}

interface Found<Row> extends Omit<Holder, 'hasSecondFactor'> {
  readonly row: Row;
}

const Member = v.object({ userId: v.number(), role: v.picklist(organizationRoles) });

const membershipKeys = (userId: number, id: number | undefined) =>
  id === undefined ? [] : [organizationKey(id), memberKey(id, userId)];

/** Undefined if the organization does not exist or was deleted, or the person is not a member. */
function membershipIn(items: readonly Record<string, unknown>[]): Holder['membership'] {
  const row = items.find(({ sk }) => sk === organizationKey(0).sk);
  const [member] = readable(Member, items);
  if (!row || !member || 'deletedAt' in row) return undefined;
  const requiresSecondFactor = 'secondFactorRequiredAt' in row;
  return { role: member.role, isSuspended: 'suspendedAt' in row, requiresSecondFactor };
}

interface DigestRow {
  readonly digest: string;
  readonly expiresAt: number;
}

export function digestRows<Row extends DigestRow>(
  client: DynamoDBDocumentClient,
  table: string,
  keyOf: (accountId: number, digest: string) => { pk: string; sk: string },
  schema: v.GenericSchema<unknown, Row>,
) {
  const prefix = keyOf(0, '').sk;

  function rowsOf(items: readonly Record<string, unknown>[]): Row[] {
    return readable(
      schema,
      items.map((item) => ({ ...item, digest: String(item['sk']).slice(prefix.length) })),
    );
  }

  const itemOf = (accountId: number, { digest, ...row }: Row) => {
    return { ...keyOf(accountId, digest), ...row, ttl: seconds(row.expiresAt) };
  };

  async function open(accountId: number, row: Row): Promise<void> {
    await client.send(new PutCommand({ TableName: table, Item: itemOf(accountId, row) }));
  }

  /** Reads everything in one round trip. Returns undefined if row or account is missing or the row is invalid. */
  async function find(accountId: number, digest: string, organizationId?: number): Promise<Found<Row> | undefined> {
    const rowKey = keyOf(accountId, digest);
    const Keys = [rowKey, userKey(accountId), ...membershipKeys(accountId, organizationId)];
    const request = { RequestItems: { [table]: { Keys, ConsistentRead: true } } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetCommand(request));
    if (UnprocessedKeys?.[table]) throw notAllRead();
    const items = Responses?.[table] ?? [];
    const [row] = rowsOf(items.filter(({ sk }) => sk === rowKey.sk));
    const user = items.find(({ sk }) => sk === 'user');
    const membership = organizationId === undefined ? undefined : membershipIn(items);
    return row && user ? { row, account: accountOf(user), ...(membership && { membership }) } : undefined;
  }

  async function list(accountId: number): Promise<Row[]> {
    return rowsOf(await readPrefix(client, table, userKey(accountId).pk, prefix));
  }

  async function end(accountId: number, digest: string): Promise<void> {
    await client.send(new DeleteCommand({ TableName: table, Key: keyOf(accountId, digest) }));
  }

  return { itemOf, open, find, list, end };
}
