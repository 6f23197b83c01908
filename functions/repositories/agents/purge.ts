import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { readable } from '../shared/readable.ts';
import { commit, type TransactItem } from '../shared/transaction.ts';
import {
  accountPartition,
  agentPartition,
  agentPrefix,
  conversationPartition,
  conversationPrefix,
  documentPrefix,
  idIn,
  indexPartition,
  purgePartition,
} from './agent-items.ts';
import { stateKey } from './conversation-items.ts';

/** What was deleted, and has items that are still there. */
const Deleted = v.object({
  kind: v.picklist(['agent', 'conversation', 'document']),
  agentId: v.string(),
  id: v.string(),
  at: v.number(),
});
type Deleted = v.InferOutput<typeof Deleted>;

/** Items that a request deletes, and the job of one deletion before the next has its turn. */
const deletesAtATime = 1000;
const concurrency = 25;
const conversationsAtATime = 10;
const notesAtATime = 4;
/** Deletions that one run of the job takes up, oldest first. */
const notesPerRun = 10_000;

const Key = v.object({ pk: v.string(), sk: v.string() });
type Key = v.InferOutput<typeof Key>;

const noteKey = ({ kind, id, at }: Deleted): Key => ({
  pk: purgePartition,
  sk: `${String(at).padStart(15, '0')}#${kind}#${id}`,
});

/** How many items may still be deleted now. */
interface Budget {
  left: number;
}

/** Thrown where more is left than may be deleted now. */
class Exhausted extends Error {}

/** So many at a time; after a failure no more are begun, and it is thrown once all have ended. */
async function each<T>(
  items: AsyncGenerator<T> | IterableIterator<T>,
  width: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  async function work(): Promise<void> {
    for await (const item of items) await act(item);
  }
  const ends = await Promise.allSettled(Array.from({ length: width }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

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

  async function spend(key: Key, budget: Budget): Promise<void> {
    if (budget.left-- <= 0) throw new Exhausted();
    await remove(key);
  }

  const removeAll = (keys: AsyncGenerator<Key>, budget: Budget, width = concurrency): Promise<void> =>
    each(keys, width, (key) => spend(key, budget));

  /** Its state first: while that is there a turn may leave messages. Its entry last: it names what is left. */
  async function removeConversation(entry: Key, budget: Budget): Promise<void> {
    const id = idIn(entry.sk);
    await spend(stateKey(id), budget);
    await removeAll(keysIn(conversationPartition(id)), budget, Math.ceil(concurrency / conversationsAtATime));
    await spend(entry, budget);
  }

  /** Documents before their chunks: while a document is there, more are added to it. */
  async function removeAgent(agentId: string, budget: Budget): Promise<void> {
    await removeAll(keysIn(agentPartition(agentId), documentPrefix), budget);
    await removeAll(keysIn(indexPartition(agentId)), budget);
    const conversations = keysIn(agentPartition(agentId), conversationPrefix);
    await each(conversations, conversationsAtATime, (entry) => removeConversation(entry, budget));
  }

  async function removeContents({ kind, agentId, id }: Deleted, budget: Budget): Promise<void> {
    if (kind === 'agent') return removeAgent(agentId, budget);
    if (kind === 'conversation') return removeAll(keysIn(conversationPartition(id)), budget);
    await removeAll(keysIn(indexPartition(agentId), `vectors#${id}#`), budget);
    await removeAll(keysIn(indexPartition(agentId), `texts#${id}#`), budget);
  }

  /** As much as is deleted at a time. False when more is left. */
  async function advance(deleted: Deleted): Promise<boolean> {
    try {
      await removeContents(deleted, { left: deletesAtATime });
      await remove(noteKey(deleted));
      return true;
    } catch (error) {
      if (error instanceof Exhausted) return false;
      throw error;
    }
  }

  async function notes(): Promise<Deleted[]> {
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': purgePartition },
    };
    const found: Deleted[] = [];
    for await (const { Items = [] } of paginateQuery({ client }, query)) {
      found.push(...readable(Deleted, Items));
      if (found.length >= notesPerRun) break;
    }
    return found;
  }

  /** In the transaction that deletes. */
  function noted({ kind, agentId, id, at }: Deleted): TransactItem {
    const Item = { ...noteKey({ kind, agentId, id, at }), kind, agentId, id, at };
    return { Put: { TableName: table, Item } };
  }

  return {
    noted,
    /** As much as a request may take. */
    async now(deleted: Deleted): Promise<void> {
      await advance(deleted);
    },
    /** All that requests have left, each in its turn, so that none waits for the end of a long one. Returns how many there were. */
    async rest(): Promise<number> {
      const all = await notes();
      for (let left = all; left.length > 0;) {
        const unfinished: Deleted[] = [];
        await each(left.values(), notesAtATime, async (deleted) => {
          if (!(await advance(deleted))) unfinished.push(deleted);
        });
        left = unfinished;
      }
      return all.length;
    },
    /** The agents of an account; `rest` deletes what is in them, before what was deleted later. */
    async account(accountId: number): Promise<void> {
      for await (const key of keysIn(accountPartition(accountId), agentPrefix)) {
        const id = idIn(key.sk);
        await commit(client, [
          { Delete: { TableName: table, Key: key } },
          noted({ kind: 'agent', agentId: id, id, at: 0 }),
        ]);
      }
      await removeAll(keysIn(accountPartition(accountId)), { left: Number.POSITIVE_INFINITY });
    },
  };
}
