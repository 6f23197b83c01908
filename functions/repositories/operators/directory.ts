import {
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { type AccountOrder, accountStates, DirectoryTotals } from '#contract/operators/operators.ts';
import { dayMs } from '#contract/shared/time.ts';
import type { AccountSummary, DirectoryGroup, DirectoryProgress, DirectoryStore } from '#domain/operators/directory.ts';
import { accountOf, organizationKey, seconds, userKey } from '../accounts/account-items.ts';
import { operatedOrganization } from '../accounts/organization-items.ts';
import { meterOf } from '../meter/meter-item.ts';
import { accountsOnly } from '../meter/stream-progress.ts';
import { readItem, readItems, readable } from '../shared/read-items.ts';

export interface DirectoryTables {
  readonly directory: string;
  /** Read only by the update. */
  readonly meters: () => string;
  readonly accounts: () => string;
}

const itemsPerWrite = 25;

/**
 * Days after its deletion for which the summary of an account is kept, if a concurrent update wrote it after the purge.
 */
const deletedDays = 31;

/** The attribute of the sort key of each index. Its partition key is the group. */
const orders = { newest: 'n', spending: 's', balance: 'b' } as const satisfies Record<AccountOrder, string>;

const groupKey = ({ state, plan }: DirectoryGroup): string => `${state}#${plan}`;

/** Sorts by the value, then by the account. Balances are never negative. */
const position = (value: number, accountId: number): string =>
  `${String(Math.max(0, Math.round(value))).padStart(20, '0')}#${String(accountId).padStart(16, '0')}`;

/** a account, g group, n s b positions in the indexes. */
function summaryRow({ accountId, state, plan, createdAt, spent, balance, deletedAt }: AccountSummary) {
  return {
    a: accountId,
    g: groupKey({ state, plan }),
    n: position(createdAt, accountId),
    s: position(spent, accountId),
    b: position(balance, accountId),
    state,
    plan,
    createdAt,
    spent,
    balance,
    ...(deletedAt !== undefined && { deletedAt, ttl: seconds(deletedAt + deletedDays * dayMs) }),
  };
}

const Summary = v.pipe(
  v.object({
    a: v.number(),
    state: v.picklist(accountStates),
    plan: v.string(),
    createdAt: v.number(),
    spent: v.number(),
    balance: v.number(),
    deletedAt: v.exactOptional(v.number()),
  }),
  v.transform(({ a: accountId, ...summary }): AccountSummary => ({ accountId, ...summary })),
);

/** The item of the account 0, which does not exist. */
const progressKey = { a: 0 };
const Progress = v.object({
  after: v.exactOptional(v.number()),
  partial: v.exactOptional(DirectoryTotals),
  totals: v.exactOptional(DirectoryTotals),
  at: v.exactOptional(v.number()),
});

/** Omits invalid items, which must not hide the other accounts. */
function parsed<T>(items: readonly unknown[], parse: (item: unknown) => T): T[] {
  return items.flatMap((item) => {
    try {
      return [parse(item)];
    } catch (error) {
      if (error instanceof v.ValiError) return [];
      throw error;
    }
  });
}

const Named = v.object({ id: v.number(), name: v.string() });
const Person = v.object({ id: v.number(), email: v.string(), name: v.string() });
const Keyed = v.object({ a: v.number() });

/** `metersPerRead`: at most 100, so that users and summaries are one batch each. */
export function directoryStore(
  client: DynamoDBDocumentClient,
  tables: DirectoryTables,
  metersPerRead = 100,
): DirectoryStore {
  const { directory } = tables;

  async function write(rows: readonly object[]): Promise<void> {
    let left: Record<string, { PutRequest: { Item: object } }[]> = {
      [directory]: rows.map((Item) => ({ PutRequest: { Item } })),
    };
    // What DynamoDB leaves unprocessed differs again at the next update.
    for (let tries = 0; tries < 5 && Object.keys(left).length > 0; tries++) {
      const { UnprocessedItems = {} } = await client.send(new BatchWriteCommand({ RequestItems: left }));
      left = Object.fromEntries(
        Object.entries(UnprocessedItems).map(([table, requests]) => [
          table,
          requests.flatMap(({ PutRequest }) => (PutRequest?.Item ? [{ PutRequest: { Item: PutRequest.Item } }] : [])),
        ]),
      );
    }
  }

  const organizationsOf = async (ids: readonly number[]) =>
    ids.length > 0 ? readItems(client, tables.accounts(), ids.map(organizationKey)) : [];

  async function query(group: DirectoryGroup, order: AccountOrder, from: string, to: string, limit: number) {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: directory,
        IndexName: order,
        KeyConditionExpression: 'g = :group AND #position BETWEEN :from AND :to',
        ExpressionAttributeNames: { '#position': orders[order] },
        ExpressionAttributeValues: { ':group': groupKey(group), ':from': from, ':to': to },
        ScanIndexForward: false,
        Limit: limit,
      }),
    );
    return Items.map((item) => ({ at: String(item[orders[order]]), ...v.parse(Keyed, item) }));
  }

  return {
    async read(after) {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName: tables.meters(),
          ...accountsOnly,
          Limit: metersPerRead,
          ...(after !== undefined && { ExclusiveStartKey: { a: after } }),
        }),
      );
      const meters = parsed(Items, meterOf);
      const users = await readItems(
        client,
        tables.accounts(),
        meters.map(({ accountId }) => userKey(accountId)),
      );
      const people = parsed(users, accountOf);
      const known = new Set(people.map(({ id }) => id));
      const shared = meters.filter(({ accountId }) => !known.has(accountId));
      const rows = await organizationsOf(shared.map(({ accountId }) => accountId));
      const all = [...people, ...parsed(rows, (row) => operatedOrganization(row))];
      const accounts = new Map(all.map((account) => [account.id, account]));
      const found = meters.flatMap((meter) => {
        const account = accounts.get(meter.accountId);
        return account ? [{ account, meter }] : [];
      });
      return { accounts: found, next: LastEvaluatedKey ? v.parse(Keyed, LastEvaluatedKey).a : undefined };
    },
    async save(summaries) {
      const keys = summaries.map(({ accountId }) => ({ a: accountId }));
      const stored = new Map((await readItems(client, directory, keys)).map((row) => [row['a'], row]));
      const isChanged = (row: Record<string, unknown>) =>
        Object.keys({ ...stored.get(row['a']), ...row }).some((name) => stored.get(row['a'])?.[name] !== row[name]);
      const changed = summaries.map(summaryRow).filter(isChanged);
      for (let from = 0; from < changed.length; from += itemsPerWrite)
        await write(changed.slice(from, from + itemsPerWrite));
      return changed.length;
    },
    async progress() {
      const item = await readItem(client, directory, progressKey);
      return item ? v.parse(Progress, item) : {};
    },
    async saveProgress(progress: DirectoryProgress) {
      await client.send(new PutCommand({ TableName: directory, Item: { ...progressKey, ...progress } }));
    },
    async page(groups, order, { limit, since, cursor }) {
      const [from, to] = [position(since, 0), cursor ?? '~'];
      if (to < from) return { summaries: [], next: null };
      // Two more: one may be the last of the previous page, the other shows whether a page follows.
      const read = await Promise.all(groups.map((group) => query(group, order, from, to, limit + 2)));
      const sorted = read
        .flat()
        .filter(({ at }) => at !== cursor)
        .toSorted((one, other) => (one.at < other.at ? 1 : -1));
      const shown = sorted.slice(0, limit);
      const rows = await readItems(
        client,
        directory,
        shown.map(({ a }) => ({ a })),
      );
      const summaries = new Map(readable(Summary, rows).map((summary) => [summary.accountId, summary]));
      return {
        summaries: shown.flatMap(({ a }) => summaries.get(a) ?? []),
        next: sorted.length > limit ? (shown.at(-1)?.at ?? null) : null,
      };
    },
    async peopleOf(accountIds) {
      const users = await readItems(client, tables.accounts(), accountIds.map(userKey), ['id', 'email', 'name']);
      const people = readable(Person, users);
      const known = new Set(people.map(({ id }) => id));
      const shared = readable(Named, await organizationsOf(accountIds.filter((id) => !known.has(id))));
      const all = [...people, ...shared.map((one) => ({ ...one, email: null }))];
      return new Map(all.map(({ id, ...person }) => [id, person]));
    },
  };
}

export async function removeFromDirectory(client: DynamoDBDocumentClient, table: string, accountId: number) {
  await client.send(new DeleteCommand({ TableName: table, Key: { a: accountId } }));
}
