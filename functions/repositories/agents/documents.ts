import { type DynamoDBDocumentClient, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { documentStatuses } from '#contract/agents/documents.ts';
import { earlierDocumentModel, modelNamed } from '#contract/inference/models.ts';
import { limits } from '#contract/shared/limits.ts';
import { daySeconds } from '#contract/shared/time.ts';
import type { AgentDocument, DocumentRef, OpenIndexing } from '#domain/agents/document.ts';
import type { DocumentStore, EndOfIndexing } from '#domain/agents/vector-index.ts';
import { storedInstant } from '../accounts/account-items.ts';
import { closingOf } from '../meter/meter-calls.ts';
import { StoredCharge, writeRefund } from '../meter/meters.ts';
import { conditionally } from '../shared/conditional.ts';
import { newestFirst } from '../shared/pages.ts';
import { readItem, readPrefix, readable } from '../shared/read-items.ts';
import { commit, failedItems, putNew, type TransactItem } from '../shared/transaction.ts';
import { agentKey, agentPartition, documentPrefix, idIn, indexingPartition, indexPartition } from './agent-items.ts';
import { purger } from './purge.ts';

/** Text items per transaction, at most 33 KB each. DynamoDB allows 100 items and 4 MB. */
const textItemsPerTransaction = 60;

/** Days after which a failed document is deleted. */
const failedDays = 30;

/** Writes that change credits are one transaction with the meter. */
export function documentStore(client: DynamoDBDocumentClient, table: string, meters: () => string): DocumentStore {
  const purge = purger(client, table);

  const counted = (
    { accountId, agentId: id }: Omit<DocumentRef, 'id'>,
    update: string,
    values: object,
    condition = 'attribute_exists(pk)',
  ): TransactItem => ({
    Update: {
      TableName: table,
      Key: agentKey({ accountId, id }),
      UpdateExpression: update,
      ConditionExpression: condition,
      ...(update.includes('#index') && { ExpressionAttributeNames: { '#index': 'index' } }),
      ExpressionAttributeValues: { ...values },
    },
  });

  const withStatus = (ref: DocumentRef, status: AgentDocument['status']) => ({
    TableName: table,
    Key: documentKey(ref),
    ConditionExpression: '#status = :before',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':before': status },
  });

  function changed(ref: DocumentRef, more: string, values: Record<string, unknown>, names = {}): TransactItem {
    const { ExpressionAttributeNames, ExpressionAttributeValues, ...to } = withStatus(ref, 'indexing');
    return {
      Update: {
        ...to,
        UpdateExpression: `SET #status = :after, cost = :cost${more}`,
        ExpressionAttributeNames: { ...ExpressionAttributeNames, ...names },
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ...values },
      },
    };
  }

  const noteOf = ({ agentId, id }: DocumentRef, at: number) => ({ kind: 'document', agentId, id, at }) as const;

  function writesOf(open: OpenIndexing, { status, cost, now }: EndOfIndexing): TransactItem[] {
    const fewer = () => counted(open, 'ADD chunks :chunks', { ':chunks': -open.chunks });
    if (status === 'ready') {
      const ready = changed(open, '', { ':after': status, ':cost': cost });
      return [counted(open, 'ADD #index :one', { ':one': 1 }), ready];
    }
    if (status === 'failed') {
      const ttl = Math.ceil(now / 1000) + failedDays * daySeconds;
      const values = { ':after': status, ':cost': cost, ':ttl': ttl };
      const failed = changed(open, ', #ttl = :ttl', values, { '#ttl': 'ttl' });
      return [fewer(), failed, purge.purgeItem(noteOf(open, now))];
    }
    if (status === 'removed')
      return [fewer(), { Delete: withStatus(open, 'indexing') }, purge.purgeItem(noteOf(open, now))];
    return [];
  }

  return {
    page({ id }, { limit, cursor }) {
      const list = { pk: agentPartition(id), prefix: documentPrefix, cursor, limit, schema: StoredDocument };
      return newestFirst(client, table, list);
    },
    async find(ref) {
      const item = await readItem(client, table, documentKey(ref));
      return item && v.parse(StoredDocument, item);
    },
    async begin(document, open, settlement) {
      const { chunks } = document;
      const values = { ':chunks': chunks, ':room': limits.agentChunks - chunks };
      const failed = await failedItems(client, [
        counted(document, 'ADD chunks :chunks', values, 'chunks <= :room'),
        closingOf(meters(), settlement),
        putNew(table, documentRow(document)),
        putNew(table, openRow(open)),
      ]);
      if (failed.length === 0) return 'done';
      return failed.includes(0) ? 'no capacity' : 'meter changed';
    },
    async addTexts(document, chunks) {
      const places = Array.from({ length: Math.ceil(chunks.length / textsPerItem) }, (_, at) => at * textsPerItem);
      const items = places.map((place) => ({
        ...textsKey(document.agentId, document.id, place),
        texts: JSON.stringify(chunks.slice(place, place + textsPerItem)),
      }));
      for (let at = 0; at < items.length; at += textItemsPerTransaction) {
        const some = items.slice(at, at + textItemsPerTransaction).map((Item) => ({ Put: { TableName: table, Item } }));
        if (!(await commit(client, [{ ConditionCheck: withStatus(document, 'indexing') }, ...some]))) return false;
      }
      return true;
    },
    async texts({ agentId, id }) {
      const items = await readPrefix(client, table, indexPartition(agentId), textsPrefix(id));
      return items.flatMap((item) => v.parse(StoredTexts, item).texts);
    },
    async findOpen(documentId) {
      const item = await readItem(client, table, openKey(documentId));
      return item && v.parse(StoredIndexing, item);
    },
    async extend(documentId, deadline) {
      const update = new UpdateCommand({
        TableName: table,
        Key: openKey(documentId),
        UpdateExpression: 'SET deadline = :deadline',
        ConditionExpression: 'deadline < :deadline',
        ExpressionAttributeValues: { ':deadline': deadline },
      });
      await conditionally(client.send(update));
    },
    async *overdue(now) {
      const query = {
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        FilterExpression: 'deadline <= :now',
        ExpressionAttributeValues: { ':pk': indexingPartition, ':now': now },
      };
      for await (const { Items = [] } of paginateQuery({ client }, query)) yield* readable(StoredIndexing, Items);
    },
    async end(open, end, refund) {
      const isOpen = { TableName: table, Key: openKey(open.id), ConditionExpression: 'attribute_exists(pk)' };
      const writes = [{ Delete: isOpen }, ...writesOf(open, end)];
      const written = refund
        ? await writeRefund(client, meters(), refund, ...writes)
        : (await commit(client, writes))
          ? 'done'
          : 'changed';
      const hasRest = end.status === 'failed' || end.status === 'removed';
      if (written === 'done' && hasRest) await purge.purgeNow(noteOf(open, end.now));
      return written;
    },
    async remove(document, now) {
      const note = noteOf(document, now);
      const values = { ':chunks': -document.chunks, ':one': 1 };
      const isDone = await commit(client, [
        ...(document.status === 'failed' ? [] : [counted(document, 'ADD chunks :chunks, #index :one', values)]),
        { Delete: withStatus(document, document.status) },
        purge.purgeItem(note),
      ]);
      if (isDone) await purge.purgeNow(note);
      return isDone;
    },
  };
}

export const documentKey = ({ agentId, id }: Pick<DocumentRef, 'agentId' | 'id'>) => ({
  pk: agentPartition(agentId),
  sk: `${documentPrefix}${id}`,
});

const placeText = (place: number): string => String(place).padStart(5, '0');
export const vectorsPrefix = 'vectors#';
export const vectorsKey = ({ agentId, id }: DocumentRef, from: number) => ({
  pk: indexPartition(agentId),
  sk: `${vectorsPrefix}${id}#${placeText(from)}`,
});

export const textsPerItem = 16;
const textsPrefix = (documentId: string): string => `texts#${documentId}#`;
export const textsKey = (agentId: string, id: string, place: number) => ({
  pk: indexPartition(agentId),
  sk: `${textsPrefix(id)}${placeText(place - (place % textsPerItem))}`,
});

export const StoredDocument = v.pipe(
  v.object({
    pk: v.string(),
    sk: v.string(),
    a: v.number(),
    name: v.string(),
    status: v.picklist(documentStatuses),
    bytes: v.number(),
    chunks: v.number(),
    indexedChunks: v.number(),
    tokens: v.optional(v.number(), 0),
    cost: v.optional(v.number(), 0),
    createdAt: storedInstant,
  }),
  v.transform(({ pk, sk, a: accountId, ...document }): AgentDocument => {
    return { accountId, agentId: idIn(pk), id: idIn(sk), ...document };
  }),
);

export function documentRow({ accountId, agentId, id, ...document }: AgentDocument) {
  return { ...documentKey({ agentId, id }), a: accountId, ...document };
}

const openKey = (documentId: string) => ({ pk: indexingPartition, sk: `${documentPrefix}${documentId}` });

const StoredIndexing = v.pipe(
  v.object({
    sk: v.string(),
    a: v.number(),
    agentId: v.string(),
    charge: StoredCharge,
    chunks: v.number(),
    deadline: storedInstant,
  }),
  v.transform(({ sk, a: accountId, ...open }): OpenIndexing => ({ accountId, id: idIn(sk), ...open })),
);

function openRow({ accountId, id, ...open }: OpenIndexing) {
  return { ...openKey(id), a: accountId, ...open };
}

const Bytes = v.instance(Uint8Array);

export const StoredVectors = v.pipe(
  v.object({
    sk: v.string(),
    model: v.optional(v.string(), earlierDocumentModel),
    count: v.number(),
    vectors: Bytes,
    words: v.exactOptional(Bytes),
  }),
  v.transform(({ sk, model, ...block }) => {
    const [, documentId = '', from = ''] = sk.split('#');
    // The model may have a new id since, with the stored one as an alias.
    return { documentId, from: Number(from), model: modelNamed(model)?.id ?? model, ...block };
  }),
);
export type StoredVectors = v.InferOutput<typeof StoredVectors>;

const Passage = v.object({ start: v.number(), end: v.number(), text: v.string() });

export const StoredTexts = v.object({
  pk: v.string(),
  sk: v.string(),
  texts: v.pipe(v.string(), v.parseJson(), v.array(Passage)),
});
