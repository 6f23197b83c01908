import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { throwTogether, visitEach } from '#domain/shared/concurrency.ts';
import { batchesOf, deleteKeys, deletePartition, each, keysIn as keysOf } from '../shared/deletion.ts';
import { accountPartition, type Key, readable } from '../shared/read-items.ts';
import { commit, type TransactItem } from '../shared/transaction.ts';
import {
  agentPartition,
  agentPrefix,
  conversationPartition,
  conversationPrefix,
  documentPrefix,
  idIn,
  indexPartition,
  purgePartition,
  stateKey,
} from './agent-items.ts';

const Deleted = v.object({
  kind: v.picklist(['agent', 'conversation', 'document']),
  agentId: v.string(),
  id: v.string(),
  at: v.number(),
});
type Deleted = v.InferOutput<typeof Deleted>;

/** Items that a request deletes, or the job deletes before it turns to the next deletion. */
const deletesPerTurn = 1000;
/** Concurrent batches of 25, in total or per conversation. */
const maxConcurrentBatches = 4;
const maxConcurrentConversations = 10;
const maxConcurrentDeletions = 4;
const deletionsPerRun = 10_000;

const noteKey = ({ kind, id, at }: Deleted): Key => ({
  pk: purgePartition,
  sk: `${String(at).padStart(15, '0')}#${kind}#${id}`,
});

interface Budget {
  left: number;
}

class Exhausted extends Error {}

/** Deletes the purge item last, so that an interrupted purge is resumed. */
export function purger(client: DynamoDBDocumentClient, table: string) {
  const keysIn = (pk: string, prefix?: string) => keysOf(client, table, pk, prefix);

  async function spend(keys: readonly Key[], budget: Budget): Promise<void> {
    if (budget.left <= 0) throw new Exhausted();
    budget.left -= keys.length;
    await deleteKeys(client, table, keys);
  }

  const removeAll = (keys: AsyncGenerator<Key>, budget: Budget, width = maxConcurrentBatches): Promise<void> =>
    each(batchesOf(keys), width, (batch) => spend(batch, budget));

  /** Deletes the state first, because turns add messages while it exists, and the list entry last. */
  async function removeConversation(entry: Key, budget: Budget): Promise<void> {
    const id = idIn(entry.sk);
    await spend([stateKey(id)], budget);
    await removeAll(keysIn(conversationPartition(id)), budget, 1);
    await spend([entry], budget);
  }

  /** Deletes documents before their chunks, because indexing adds chunks while the document exists. */
  async function removeAgent(agentId: string, budget: Budget): Promise<void> {
    await removeAll(keysIn(agentPartition(agentId), documentPrefix), budget);
    await removeAll(keysIn(indexPartition(agentId)), budget);
    const conversations = keysIn(agentPartition(agentId), conversationPrefix);
    await each(conversations, maxConcurrentConversations, (entry) => removeConversation(entry, budget));
  }

  async function removeContents({ kind, agentId, id }: Deleted, budget: Budget): Promise<void> {
    if (kind === 'agent') return removeAgent(agentId, budget);
    if (kind === 'conversation') return removeAll(keysIn(conversationPartition(id)), budget);
    await removeAll(keysIn(indexPartition(agentId), `vectors#${id}#`), budget);
    await removeAll(keysIn(indexPartition(agentId), `texts#${id}#`), budget);
  }

  async function advance(deleted: Deleted): Promise<boolean> {
    try {
      await removeContents(deleted, { left: deletesPerTurn });
      await deleteKeys(client, table, [noteKey(deleted)]);
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
      if (found.length >= deletionsPerRun) break;
    }
    return found;
  }

  function purgeItem({ kind, agentId, id, at }: Deleted): TransactItem {
    const Item = { ...noteKey({ kind, agentId, id, at }), kind, agentId, id, at };
    return { Put: { TableName: table, Item } };
  }

  return {
    purgeItem,
    async purgeNow(deleted: Deleted): Promise<void> {
      await advance(deleted);
    },
    /**
     * Finishes started deletions in turns, so that a long one does not delay the others. Throws failures together at
     * the end. Returns the number finished.
     */
    async purgePending(signal?: AbortSignal): Promise<number> {
      const failures: unknown[] = [];
      let finished = 0;
      for (let left = await notes(); left.length > 0;) {
        if (signal?.aborted) break;
        const unfinished: Deleted[] = [];
        const advanceOrKeep = async (deleted: Deleted): Promise<void> => {
          if (await advance(deleted)) finished += 1;
          else unfinished.push(deleted);
        };
        const round = await visitEach(left.values(), advanceOrKeep, { concurrency: maxConcurrentDeletions, signal });
        failures.push(...round.failures);
        left = unfinished;
      }
      throwTogether(failures, 'deletions could not be finished');
      return finished;
    },
    async account(accountId: number, signal?: AbortSignal): Promise<void> {
      for await (const key of keysIn(accountPartition(accountId), agentPrefix)) {
        signal?.throwIfAborted();
        const id = idIn(key.sk);
        await commit(client, [
          { Delete: { TableName: table, Key: key } },
          purgeItem({ kind: 'agent', agentId: id, id, at: 0 }),
        ]);
      }
      await deletePartition(client, table, accountPartition(accountId), signal);
    },
  };
}
