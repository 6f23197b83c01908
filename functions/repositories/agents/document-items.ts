import * as v from 'valibot';
import { documentStatuses } from '#contract/agents/documents.ts';
import type { AgentDocument, DocumentRef, OpenIndexing } from '#domain/agents/documents/document.ts';
import { storedInstant } from '../accounts/account-items.ts';
import { StoredCharge } from '../meter/stored-charge.ts';
import { agentPartition, documentPrefix, idIn, indexingPartition, indexPartition } from './agent-items.ts';

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

/** Passages are read one by one, so few are in an item. */
export const textsPerItem = 16;
export const textsPrefix = (documentId: string): string => `texts#${documentId}#`;
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

export const openKey = (documentId: string) => ({ pk: indexingPartition, sk: `${documentPrefix}${documentId}` });

export const StoredIndexing = v.pipe(
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

export function openRow({ accountId, id, ...open }: OpenIndexing) {
  return { ...openKey(id), a: accountId, ...open };
}

const Bytes = v.instance(Uint8Array);

/** Vectors and words of consecutive chunks of a document. */
export const StoredVectors = v.pipe(
  v.object({ sk: v.string(), count: v.number(), vectors: Bytes, words: v.exactOptional(Bytes) }),
  v.transform(({ sk, ...block }) => {
    const [, documentId = '', from = ''] = sk.split('#');
    return { documentId, from: Number(from), ...block };
  }),
);
export type StoredVectors = v.InferOutput<typeof StoredVectors>;

const Passage = v.object({ start: v.number(), end: v.number(), text: v.string() });

export const StoredTexts = v.object({
  pk: v.string(),
  sk: v.string(),
  texts: v.pipe(v.string(), v.parseJson(), v.array(Passage)),
});
