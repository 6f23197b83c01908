import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { limits } from '#contract/shared/limits.ts';
import type { AgentRef } from '#domain/agents/agent.ts';
import type { DocumentStore } from '#domain/agents/documents/vector-index.ts';
import { newestFirst } from '../shared/pages.ts';
import { readItem } from '../shared/read-item.ts';
import { commit, putNew, type TransactItem } from '../shared/transaction.ts';
import { agentKey, agentPartition, documentPrefix } from './agent-items.ts';
import { documentKey, documentRow, StoredDocument } from './document-items.ts';
import { purger } from './purge.ts';

export function documentStore(client: DynamoDBDocumentClient, table: string): DocumentStore {
  const purge = purger(client, table);

  /** The agent counts the chunks of its documents. */
  const counted = (
    agent: AgentRef,
    update: string,
    values: object,
    condition = 'attribute_exists(pk)',
  ): TransactItem => ({
    Update: {
      TableName: table,
      Key: agentKey(agent),
      UpdateExpression: update,
      ConditionExpression: condition,
      ...(update.includes('#index') && { ExpressionAttributeNames: { '#index': 'index' } }),
      ExpressionAttributeValues: { ...values },
    },
  });

  return {
    page({ id }, { limit, cursor }) {
      const list = { pk: agentPartition(id), prefix: documentPrefix, cursor, limit, schema: StoredDocument };
      return newestFirst(client, table, list);
    },
    async find(ref) {
      const item = await readItem(client, table, documentKey(ref));
      return item && v.parse(StoredDocument, item);
    },
    begin(document) {
      const { accountId, agentId: id, chunks } = document;
      const values = { ':chunks': chunks, ':room': limits.agentChunks - chunks };
      return commit(client, [
        counted({ accountId, id }, 'ADD chunks :chunks', values, 'chunks <= :room'),
        putNew(table, documentRow(document)),
      ]);
    },
    finish(ref) {
      return commit(client, [
        counted({ accountId: ref.accountId, id: ref.agentId }, 'ADD #index :one', { ':one': 1 }),
        {
          Update: {
            TableName: table,
            Key: documentKey(ref),
            UpdateExpression: 'SET #status = :ready',
            ConditionExpression: '#status = :indexing AND indexedChunks = chunks',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ':ready': 'ready', ':indexing': 'indexing' },
          },
        },
      ]);
    },
    async remove({ accountId, agentId, id, chunks }, now) {
      const note = { kind: 'document', agentId, id, at: now } as const;
      const values = { ':chunks': -chunks, ':one': 1 };
      const isDone = await commit(client, [
        counted({ accountId, id: agentId }, 'ADD chunks :chunks, #index :one', values),
        {
          Delete: { TableName: table, Key: documentKey({ agentId, id }), ConditionExpression: 'attribute_exists(pk)' },
        },
        purge.noted(note),
      ]);
      if (isDone) await purge.now(note);
      return isDone;
    },
  };
}
