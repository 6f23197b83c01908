import { createHash } from 'node:crypto';
import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { MailKind } from '#contract/accounts/preferences.ts';
import type {
  Account,
  AccountDeletionStore,
  AccountStore,
  DeletedAccount,
  NewAccount,
  ProfileChange,
  StoredToken,
} from '#domain/accounts/account.ts';
import type { OutgoingMail } from '#domain/shared/ports.ts';
import { newMeterRow } from '../meter/meter-item.ts';
import { conditionally } from '../shared/conditional.ts';
import { batchesOf, deleteKeys, deletePartition, keysIn } from '../shared/deletion.ts';
import { readItem, readable } from '../shared/read-items.ts';
import { commit, putNew, type TransactItem } from '../shared/transaction.ts';
import {
  accountOf,
  identityKey,
  mailIdOf,
  mailItems,
  mailKey,
  mailNotePrefix,
  ownerOf,
  purgeKey,
  uniqueEmailKey,
  uniqueRow,
  userKey,
  userRow,
} from './account-items.ts';
import { consumption } from './identities.ts';

const noAccount = 0;

/** `metersTable` is read only when an account is created. */
export function accountStore(client: DynamoDBDocumentClient, table: string, metersTable: () => string): AccountStore {
  async function create({ account, meter, confirmation, proof }: NewAccount, now: number): Promise<boolean> {
    const Item = newMeterRow(meter.meter, meter.entries);
    const identities = account.identities ?? [];
    return commit(client, [
      putNew(table, uniqueRow(uniqueEmailKey(account.email), account.id)),
      putNew(table, userRow(account, confirmation?.token)),
      ...freeMonthsBegun(table, account, meter.meter.freeAnchor),
      { Put: { TableName: metersTable(), Item, ConditionExpression: 'attribute_not_exists(a)' } },
      ...(confirmation ? mailItems(table, account.id, confirmation.mail, now) : []),
      ...identities.map((identity) => putNew(table, uniqueRow(identityKey(identity), account.id))),
      ...(proof ? [consumption(table, proof)] : []),
    ]);
  }

  async function find(accountId: number): Promise<Account | undefined> {
    const row = await readItem(client, table, userKey(accountId));
    return row && accountOf(row);
  }

  async function findByEmail(email: string): Promise<Account | undefined> {
    const item = await readItem(client, table, uniqueEmailKey(email));
    return find(item ? ownerOf(item) : noAccount);
  }

  async function change(accountId: number, fields: ProfileChange): Promise<void> {
    const names = Object.keys(fields);
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: userKey(accountId),
        UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [`:${name}`, value]),
        ),
      }),
    );
  }

  async function setMailsOff(accountId: number, kinds: readonly MailKind[]): Promise<void> {
    const change =
      kinds.length === 0
        ? { UpdateExpression: 'REMOVE mailsOff' }
        : { UpdateExpression: 'SET mailsOff = :kinds', ExpressionAttributeValues: { ':kinds': kinds } };
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: userKey(accountId),
        ConditionExpression: 'attribute_exists(pk)',
        ...change,
      }),
    );
  }

  async function confirm(accountId: number, digest: string, now: number): Promise<boolean> {
    const write = client.send(
      new UpdateCommand({
        TableName: table,
        Key: userKey(accountId),
        UpdateExpression: 'SET confirmedAt = if_not_exists(confirmedAt, :now)',
        ConditionExpression:
          'confirmation.digest = :digest AND (attribute_exists(confirmedAt) OR confirmation.expiresAt > :now)',
        ExpressionAttributeValues: { ':digest': digest, ':now': now },
      }),
    );
    return 'done' in (await conditionally(write));
  }

  async function renewConfirmation(accountId: number, token: StoredToken, mail: OutgoingMail, now: number) {
    const renewal = {
      TableName: table,
      Key: userKey(accountId),
      UpdateExpression: 'SET confirmation = :confirmation',
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(confirmedAt)',
      ExpressionAttributeValues: { ':confirmation': token },
    };
    return commit(client, [{ Update: renewal }, ...mailItems(table, accountId, mail, now)]);
  }

  return {
    freeFrom: (account: Account) => freeFrom(client, table, account),
    create,
    find,
    findByEmail,
    change,
    setMailsOff,
    confirm,
    renewConfirmation,
  };
}

const Closed = v.object({ accountId: v.number(), purgeAt: v.number() });

export function accountDeletionStore(
  client: DynamoDBDocumentClient,
  table: string,
  metersTable: string,
  purgeOthers: (accountId: number, signal?: AbortSignal) => Promise<void>,
  onPurged: (accountId: number) => Promise<void>,
): AccountDeletionStore {
  const remove: AccountDeletionStore['remove'] = async (account, { purgeAt, freeFrom }, notice, now) => {
    const freed = [uniqueEmailKey(account.email), ...(account.identities ?? []).map(identityKey)];
    return commit(client, [
      openUserUpdate(table, account.id, 'SET deletedAt = :now, sessionsValidFrom = :now', {
        now,
        condition: '(attribute_not_exists(organizations) OR NOT organizations > :none)',
        values: { ':none': 0 },
      }),
      meterClosing(metersTable, account.id, 'deleted'),
      ...freed.map((Key) => ({ Delete: { TableName: table, Key } })),
      putNew(table, { ...uniqueRow(purgeKey(account.id, purgeAt), account.id), purgeAt }),
      ...(notice ? mailItems(table, account.id, notice, now) : []),
      ...(freeFrom === undefined ? [] : freeMonthsFrom(table, account, freeFrom)),
    ]);
  };

  async function* toBePurged(now: number): AsyncGenerator<DeletedAccount> {
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :purge AND sk <= :now',
      ExpressionAttributeValues: { ':purge': 'purge', ':now': `${String(now).padStart(15, '0')}~` },
    };
    for await (const { Items = [] } of paginateQuery({ client }, query)) yield* readable(Closed, Items);
  }

  /** Emails contain the address. Their notes are in the account's partition, which is deleted after them. */
  async function purgeMails(accountId: number, signal?: AbortSignal): Promise<void> {
    for await (const batch of batchesOf(keysIn(client, table, userKey(accountId).pk, mailNotePrefix))) {
      signal?.throwIfAborted();
      const ids = new Set(batch.map(({ sk }) => mailIdOf(sk)));
      await deleteKeys(client, table, [...ids].map(mailKey));
    }
  }

  /** The purge item is deleted last, so that an interrupted purge is resumed. */
  async function purge({ accountId, purgeAt }: DeletedAccount, signal?: AbortSignal): Promise<void> {
    await purgeOthers(accountId, signal);
    await purgeMails(accountId, signal);
    await deletePartition(client, table, userKey(accountId).pk, signal);
    await client.send(new DeleteCommand({ TableName: metersTable, Key: { a: accountId } }));
    await onPurged(accountId);
    await deleteKeys(client, table, [purgeKey(accountId, purgeAt)]);
  }

  return { remove, toBePurged, purge };
}

export function openUserUpdate(
  table: string,
  accountId: number,
  UpdateExpression: string,
  {
    now,
    condition,
    values,
  }: { readonly now?: number; readonly condition?: string; readonly values?: Readonly<Record<string, unknown>> } = {},
): TransactItem {
  const isOpen = ['attribute_exists(pk)', 'attribute_not_exists(deletedAt)', ...(condition ? [condition] : [])];
  return {
    Update: {
      TableName: table,
      Key: userKey(accountId),
      UpdateExpression,
      ConditionExpression: isOpen.join(' AND '),
      ...(now !== undefined && { ExpressionAttributeValues: { ':now': now, ...values } }),
    },
  };
}

export function meterClosing(
  metersTable: string,
  accountId: number,
  closed: 'suspended' | 'deleted' | undefined,
): TransactItem {
  const update = closed
    ? { UpdateExpression: 'SET x = :closed REMOVE #last', ExpressionAttributeValues: { ':closed': closed } }
    : { UpdateExpression: 'REMOVE x, #last' };
  const ExpressionAttributeNames = { '#last': 'last' };
  return { Update: { TableName: metersTable, Key: { a: accountId }, ...update, ExpressionAttributeNames } };
}

const FreeMonth = v.object({ from: v.number() });

type Granted = Pick<Account, 'email' | 'identities'>;

/** Keys by address and by identity. Hashed, because the rows outlive the account. */
function keysOf({ email, identities = [] }: Granted) {
  return [`email#${email}`, ...identities.map((identity) => `identity#${identity}`)].map((subject) => ({
    pk: `free#${createHash('sha256').update(subject).digest('base64url').slice(0, 22)}`,
    sk: 'month',
  }));
}

/** Returns the latest time, in epoch seconds, from which a free month is available. */
async function freeFrom(client: DynamoDBDocumentClient, table: string, account: Account) {
  const rows = await Promise.all(keysOf(account).map((key) => readItem(client, table, key)));
  const moments = rows.flatMap((row) => (row ? [v.parse(FreeMonth, row).from] : []));
  return moments.length > 0 ? Math.max(...moments) : undefined;
}

export function freeMonthsFrom(table: string, account: Granted, from: number) {
  return keysOf(account).map((key) => ({ Put: { TableName: table, Item: { ...key, from, ttl: from } } }));
}

/** Like `freeMonthsFrom`, but fails if a later time is stored, because a deletion may have come first. */
function freeMonthsBegun(table: string, account: Account, from: number) {
  const condition = {
    ConditionExpression: 'attribute_not_exists(pk) OR #from <= :from',
    ExpressionAttributeNames: { '#from': 'from' },
    ExpressionAttributeValues: { ':from': from },
  };
  return freeMonthsFrom(table, account, from).map(({ Put }) => ({ Put: { ...Put, ...condition } }));
}
