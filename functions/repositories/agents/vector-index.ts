import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Agent } from '#domain/agents/agent.ts';
import type { Passage, VectorIndex } from '#domain/agents/documents/vector-index.ts';
import { packVectors, scoresOf, unit } from '#domain/agents/documents/vectors.ts';
import { type Items, itemsBy, sdkSend } from '../shared/items.ts';
import { readable } from '../shared/readable.ts';
import { commit } from '../shared/transaction.ts';
import { agentPartition, documentPrefix, indexPartition } from './agent-items.ts';
import {
  documentKey,
  StoredDocument,
  StoredTexts,
  StoredVectors,
  textsKey,
  textsPerItem,
  vectorsKey,
  vectorsPrefix,
} from './document-items.ts';

/** The vectors of an agent's documents, as a process has read them. */
interface LoadedIndex {
  readonly index: number;
  readonly bytes: number;
  readonly blocks: readonly (StoredVectors & { readonly name: string })[];
}

/** Bytes of vectors that a process keeps, of agents whose documents have not changed since. */
const maxKeptBytes = 64 * 1024 * 1024;

/** Vectors in items of DynamoDB, compared with a query one by one (docs/adr/0022-agents.md). */
export function dynamoVectorIndex(
  client: DynamoDBDocumentClient,
  table: string,
  reads: Pick<Items, 'get' | 'query'> = itemsBy(sdkSend(client)),
): VectorIndex {
  const kept = new Map<string, LoadedIndex>();

  async function itemsOf(pk: string, prefix: string): Promise<Record<string, unknown>[]> {
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
      ConsistentRead: true,
    };
    const items: Record<string, unknown>[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await reads.query({ ...query, ExclusiveStartKey });
      items.push(...Items);
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return items;
  }

  async function load({ id, index }: Agent): Promise<LoadedIndex> {
    const [documents, vectors] = await Promise.all([
      itemsOf(agentPartition(id), documentPrefix),
      itemsOf(indexPartition(id), vectorsPrefix),
    ]);
    const ready = readable(StoredDocument, documents).filter(({ status }) => status === 'ready');
    const names = new Map(ready.map((document) => [document.id, document.name]));
    const blocks = readable(StoredVectors, vectors).flatMap((block) => {
      const name = names.get(block.documentId);
      return name === undefined ? [] : [{ ...block, name }];
    });
    return { index, bytes: blocks.reduce((sum, block) => sum + block.vectors.length, 0), blocks };
  }

  /** The least recently used are let go of. */
  function keep(id: string, loaded: LoadedIndex): void {
    kept.delete(id);
    kept.set(id, loaded);
    let bytes = [...kept.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [other, one] of kept) {
      if (bytes <= maxKeptBytes) break;
      kept.delete(other);
      bytes -= one.bytes;
    }
  }

  async function indexOf(agent: Agent): Promise<LoadedIndex> {
    const known = kept.get(agent.id);
    const loaded = known?.index === agent.index ? known : await load(agent);
    keep(agent.id, loaded);
    return loaded;
  }

  return {
    add(document, { from, chunks, vectors }) {
      const texts = Array.from({ length: Math.ceil(chunks.length / textsPerItem) }, (_, index) => {
        const at = index * textsPerItem;
        const some = chunks.slice(at, at + textsPerItem);
        return { ...textsKey(document.agentId, document.id, from + at), texts: JSON.stringify(some) };
      });
      return commit(client, [
        {
          Update: {
            TableName: table,
            Key: documentKey(document),
            UpdateExpression: 'SET indexedChunks = :after',
            ConditionExpression: '#status = :indexing AND indexedChunks = :from',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ':indexing': 'indexing', ':from': from, ':after': from + chunks.length },
          },
        },
        {
          Put: {
            TableName: table,
            Item: { ...vectorsKey(document, from), count: vectors.length, vectors: packVectors(vectors) },
          },
        },
        ...texts.map((Item) => ({ Put: { TableName: table, Item } })),
      ]);
    },
    async search(agent, query, limit) {
      const { blocks } = await indexOf(agent);
      const best = nearest(blocks, unit(query), limit);
      const keys = best.map(({ documentId, place }) => textsKey(agent.id, documentId, place));
      const unique = [...new Map(keys.map((key) => [key.sk, key])).values()];
      const items = await Promise.all(unique.map((key) => reads.get(table, key)));
      const stored = readable(StoredTexts, items);
      const texts = new Map(stored.map(({ sk, texts: passages }) => [sk, passages]));
      return best.flatMap(({ documentId, name, place, score }): Passage[] => {
        const passage = texts.get(textsKey(agent.id, documentId, place).sk)?.[place % textsPerItem];
        return passage ? [{ ...passage, documentId, name, score }] : [];
      });
    },
  };
}

interface Nearest {
  readonly documentId: string;
  readonly name: string;
  readonly place: number;
  readonly score: number;
}

/** What is in no way like the query is left out, and vectors of another length, as another model's. */
function nearest(blocks: LoadedIndex['blocks'], query: Float32Array, limit: number): readonly Nearest[] {
  const best: Nearest[] = [];
  for (const { documentId, name, from, count, vectors } of blocks) {
    if (vectors.length !== count * (query.length + 4)) continue;
    for (const [at, score] of scoresOf(vectors, count, query).entries()) {
      if (score <= (best.length < limit ? 0 : (best.at(-1)?.score ?? 0))) continue;
      best.push({ documentId, name, place: from + at, score });
      best.sort((one, other) => other.score - one.score);
      best.length = Math.min(best.length, limit);
    }
  }
  return best;
}
