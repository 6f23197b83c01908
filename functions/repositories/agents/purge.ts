import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { throwTogether, visitEach } from '#domain/shared/concurrency.ts';
import { readable } from '../shared/attributes.ts';
import { batchesOf, deleteKeys, deletePartition, each, type Key, keysIn as keysOf } from '../shared/deletion.ts';
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
/** Concurrent batches of 25 of one deletion: together, or one for each of so many conversations. */
const batchesAtATime = 4;
const conversationsAtATime = 10;
const notesAtATime = 4;
/** Deletions that one run of the job takes up, oldest first. */
const notesPerRun = 10_000;

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

/** Deletes what was in agents, conversations and documents. The note of it goes last, so that a purge cut short is taken up again. */
export function purger(client: DynamoDBDocumentClient, table: string) {
  const keysIn = (pk: string, prefix?: string) => keysOf(client, table, pk, prefix);

  async function spend(keys: readonly Key[], budget: Budget): Promise<void> {
    if (budget.left <= 0) throw new Exhausted();
    budget.left -= keys.length;
    await deleteKeys(client, table, keys);
  }

  const removeAll = (keys: AsyncGenerator<Key>, budget: Budget, width = batchesAtATime): Promise<void> =>
    each(batchesOf(keys), width, (batch) => spend(batch, budget));

  /** Its state first: while that is there a turn may leave messages. Its entry last: it names what is left. */
  async function removeConversation(entry: Key, budget: Budget): Promise<void> {
    const id = idIn(entry.sk);
    await spend([stateKey(id)], budget);
    await removeAll(keysIn(conversationPartition(id)), budget, 1);
    await spend([entry], budget);
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
    /**
     * Deletes all that requests have left, each deletion in its turn, so that none waits for the end of a long one. A deletion that fails does
     * not stop the others; they are reported together at the end. Once `signal` aborts, the next run continues. Returns how many were finished.
     */
    async rest(signal?: AbortSignal): Promise<number> {
      const failures: unknown[] = [];
      let finished = 0;
      for (let left = await notes(); left.length > 0;) {
        if (signal?.aborted) break;
        const unfinished: Deleted[] = [];
        const advanceOrKeep = async (deleted: Deleted): Promise<void> => {
          if (await advance(deleted)) finished += 1;
          else unfinished.push(deleted);
        };
        const round = await visitEach(left.values(), advanceOrKeep, { concurrency: notesAtATime, signal });
        failures.push(...round.failures);
        left = unfinished;
      }
      throwTogether(failures, 'deletions could not be finished');
      return finished;
    },
    /** The agents of an account; `rest` deletes what is in them, before what was deleted later. */
    async account(accountId: number, signal?: AbortSignal): Promise<void> {
      for await (const key of keysIn(accountPartition(accountId), agentPrefix)) {
        signal?.throwIfAborted();
        const id = idIn(key.sk);
        await commit(client, [
          { Delete: { TableName: table, Key: key } },
          noted({ kind: 'agent', agentId: id, id, at: 0 }),
        ]);
      }
      await deletePartition(client, table, accountPartition(accountId), signal);
    },
  };
}
