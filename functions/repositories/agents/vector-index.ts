import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Agent } from '#domain/agents/agent.ts';
import {
  countWords,
  packWords,
  rankPassages,
  packVectors,
  type Passage,
  type VectorIndex,
} from '#domain/agents/vector-index.ts';
import { type Items, itemsBy, sdkSend } from '../shared/items.ts';
import { readable } from '../shared/read-items.ts';
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
} from './documents.ts';

interface LoadedIndex {
  readonly index: number;
  readonly bytes: number;
  readonly blocks: readonly (StoredVectors & { readonly name: string })[];
}

/** Maximum cached bytes of vectors and words per process, for agents with unchanged documents. */
const maxKeptBytes = 64 * 1024 * 1024;

/** Compares the query with every vector (docs/adr/0022-agents.md). */
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
    const bytes = blocks.reduce((sum, { vectors: { length }, words }) => sum + length + (words?.length ?? 0), 0);
    return { index, bytes, blocks };
  }

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
    add(document, { from, model, chunks, vectors, tokens }) {
      return commit(client, [
        {
          Update: {
            TableName: table,
            Key: documentKey(document),
            UpdateExpression: 'SET indexedChunks = :after ADD tokens :tokens',
            ConditionExpression: '#status = :indexing AND indexedChunks = :from',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':indexing': 'indexing',
              ':from': from,
              ':after': from + chunks.length,
              ':tokens': tokens,
            },
          },
        },
        {
          Put: {
            TableName: table,
            Item: {
              ...vectorsKey(document, from),
              model,
              count: vectors.length,
              vectors: packVectors(vectors),
              words: packWords(chunks.map(({ text }) => countWords(text))),
            },
          },
        },
      ]);
    },
    async search(agent, query, limit) {
      const { blocks } = await indexOf(agent);
      const best = rankPassages(blocks, query, limit).map(({ block, place, score }) => {
        const { documentId, name, from } = block;
        return { documentId, name, place: from + place, score };
      });
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
