import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { readable } from '../shared/readable.ts';
import type { TransactItem } from '../shared/transaction.ts';
import {
  accountPartition,
  agentPartition,
  agentPrefix,
  conversationPartition,
  conversationPrefix,
  idIn,
  indexPartition,
  purgePartition,
} from './agent-items.ts';

/** What was deleted, and has items that are still there. */
const Deleted = v.object({
  kind: v.picklist(['agent', 'conversation', 'document']),
  agentId: v.string(),
  id: v.string(),
  at: v.number(),
});
type Deleted = v.InferOutput<typeof Deleted>;

/** Items that a request deletes; the job deletes what is left. */
const deletesPerRequest = 1000;
const concurrency = 25;

const Key = v.object({ pk: v.string(), sk: v.string() });
type Key = v.InferOutput<typeof Key>;

const noteKey = ({ kind, id, at }: Deleted): Key => ({
  pk: purgePartition,
  sk: `${String(at).padStart(15, '0')}#${kind}#${id}`,
});

/** Thrown where more is left than may be deleted now. */
class Exhausted extends Error {}

/** Deletes what was in agents, conversations and documents. The note of it goes last, so that a purge cut short is taken up again. */
export function purger(client: DynamoDBDocumentClient, table: string) {
  const remove = (item: Key) => client.send(new DeleteCommand({ TableName: table, Key: item }));

  async function* keysIn(pk: string, prefix = ''): AsyncGenerator<Key> {
    const query = {
      TableName: table,
      KeyConditionExpression: prefix === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ...(prefix !== '' && { ':prefix': prefix }) },
      ProjectionExpression: 'pk, sk',
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client }, query)) yield* readable(Key, Items);
  }

  /** Some at a time, each counted against what may be deleted. */
  async function removeAll(keys: AsyncGenerator<Key>, budget: { left: number }): Promise<void> {
    async function work(): Promise<void> {
      for await (const key of keys) {
        if (budget.left-- <= 0) throw new Exhausted();
        await remove(key);
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work));
  }

  async function removeAgent(agentId: string, budget: { left: number }): Promise<void> {
    for await (const { sk } of keysIn(agentPartition(agentId), conversationPrefix))
      await removeAll(keysIn(conversationPartition(idIn(sk))), budget);
    await removeAll(keysIn(indexPartition(agentId)), budget);
    await removeAll(keysIn(agentPartition(agentId)), budget);
  }

  async function removeContents({ kind, agentId, id }: Deleted, budget: { left: number }): Promise<void> {
    if (kind === 'agent') return removeAgent(agentId, budget);
    if (kind === 'conversation') return removeAll(keysIn(conversationPartition(id)), budget);
    await removeAll(keysIn(indexPartition(agentId), `vectors#${id}#`), budget);
    await removeAll(keysIn(indexPartition(agentId), `texts#${id}#`), budget);
  }

  async function finish(deleted: Deleted, budget: { left: number }): Promise<void> {
    await removeContents(deleted, budget);
    await remove(noteKey(deleted));
  }

  return {
    /** In the transaction that deletes. */
    noted({ kind, agentId, id, at }: Deleted): TransactItem {
      const Item = { ...noteKey({ kind, agentId, id, at }), kind, agentId, id, at };
      return { Put: { TableName: table, Item } };
    },
    /** As much as a request may take. */
    async now(deleted: Deleted): Promise<void> {
      try {
        await finish(deleted, { left: deletesPerRequest });
      } catch (error) {
        if (!(error instanceof Exhausted)) throw error;
      }
    },
    /** All that requests have left. Returns how many notes there were. */
    async rest(): Promise<number> {
      const query = {
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': purgePartition },
      };
      let count = 0;
      for await (const { Items = [] } of paginateQuery({ client }, query))
        for (const deleted of readable(Deleted, Items)) {
          await finish(deleted, { left: Number.POSITIVE_INFINITY });
          count++;
        }
      return count;
    },
    /** The agents of an account with all that is in them. */
    async account(accountId: number): Promise<void> {
      const unlimited = { left: Number.POSITIVE_INFINITY };
      for await (const { sk } of keysIn(accountPartition(accountId), agentPrefix))
        await removeAgent(idIn(sk), unlimited);
      await removeAll(keysIn(accountPartition(accountId)), unlimited);
    },
  };
}
