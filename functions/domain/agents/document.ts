import type { documentStatuses } from '#contract/agents/documents.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { documentModel, modelNamed } from '#contract/inference/models.ts';
import { iso } from '#contract/shared/time.ts';
import type { Metering } from '../meter/metering.ts';
import { type RefundableCharge, refunds } from '../meter/refund.ts';
import { throwTogether, visitEach } from '../shared/concurrency.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type AgentService, throwNotFound, type PageRequest } from './agent.ts';
import type { DocumentStore } from './vector-index.ts';

export interface DocumentRef {
  readonly accountId: number;
  readonly agentId: string;
  readonly id: string;
}

export interface AgentDocument extends DocumentRef {
  readonly name: string;
  readonly status: (typeof documentStatuses)[number];
  readonly bytes: number;
  readonly chunks: number;
  readonly indexedChunks: number;
  readonly tokens: number;
  readonly cost: number;
  readonly createdAt: number;
}

export interface OpenIndexing extends DocumentRef {
  readonly charge: RefundableCharge;
  readonly chunks: number;
  /** Epoch ms. The sweep ends the indexing after this time. */
  readonly deadline: number;
}

/** `deleted`: the document or its agent was deleted. `removed`: the document could not be added. */
export type IndexingEnd = 'ready' | 'failed' | 'removed' | 'deleted';

export function documentView({ id, name, status, bytes, chunks, indexedChunks, ...document }: AgentDocument) {
  const { tokens, cost, createdAt } = document;
  return {
    id,
    name,
    status,
    bytes,
    chunks,
    indexedChunks,
    createdAt: iso(createdAt),
    credits: cost / microPerCredit,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Id of the model that embeds documents now. Empty if no model has embeddings. */
export const embeddingModel = (): string => documentModel()?.id ?? '';

/** Throws 502 if the embeddings differ in length from the model's entry in the catalog. */
export function checkedVectors(model: string, vectors: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const dimensions = modelNamed(model)?.dimensions;
  if (vectors.every(({ length }) => length === dimensions)) return vectors;
  throw new ServiceError('MODEL_ERROR', 'The model returned embeddings of the wrong length.');
}

export interface DocumentListParts {
  readonly agents: Pick<AgentService, 'existing'>;
  readonly documents: DocumentStore;
  readonly enforceChangeLimit: (accountId: number) => Promise<void>;
  readonly clock: Clock;
}

/** Indexing can end between the reads and the write, but it ends only once. */
const maxTries = 3;

export function documentList({ agents, documents, enforceChangeLimit, clock }: DocumentListParts) {
  async function list(accountId: number, agentId: string, request: PageRequest) {
    const agent = await agents.existing(accountId, agentId);
    const { items, next } = await documents.page(agent, request);
    return { items: items.map(documentView), nextCursor: next };
  }

  async function remove(accountId: number, { id: agentId, documentId: id }: { id: string; documentId: string }) {
    await agents.existing(accountId, agentId);
    const ref = { accountId, agentId, id };
    if (!(await documents.find(ref))) throwNotFound('document');
    await enforceChangeLimit(accountId);
    for (let tries = 0; tries < maxTries; tries++) {
      const document = (await documents.find(ref)) ?? throwNotFound('document');
      // Running indexing stops when the document no longer exists, and charges the chunks embedded so far.
      if (await documents.remove(document, clock.now())) return;
    }
    throwNotFound('document');
  }

  return { list, remove };
}

export type IndexingEnds = ReturnType<typeof indexingEnds>;

export interface IndexingEndParts {
  readonly documents: Pick<DocumentStore, 'end' | 'findOpen' | 'overdue'>;
  readonly metering: Pick<Metering, 'change'>;
  readonly clock: Clock;
}

const maxConcurrentEnds = 10;

/** Ends each indexing exactly once: the document's status and the refund are one write. */
export function indexingEnds({ documents, metering, clock }: IndexingEndParts) {
  const refundCharge = refunds(metering, clock);

  /** Charges `cost` microcredits, at most the reserved amount. Returns false if already ended. */
  async function end(open: OpenIndexing, status: IndexingEnd, cost = 0): Promise<boolean> {
    const { accountId, charge } = open;
    const charged = Math.min(cost, charge.amount);
    const ending = { status, cost: charged, now: clock.now() };
    const amount = charge.amount - charged;
    const outcome =
      amount === 0
        ? await documents.end(open, ending, undefined)
        : await refundCharge(accountId, charge, { amount }, (refund) => documents.end(open, ending, refund));
    if (outcome === 'done') return true;
    if (outcome === 'no account') await documents.end(open, { ...ending, status: 'deleted' }, undefined);
    else if (status !== 'deleted' && (await documents.findOpen(open.id))) await end(open, 'deleted', cost);
    return false;
  }

  /** Fails overdue indexings and returns their number. Throws failures together at the end. */
  async function sweep(signal?: AbortSignal): Promise<number> {
    let ended = 0;
    const fail = async (open: OpenIndexing): Promise<void> => {
      await end(open, 'failed');
      ended += 1;
    };
    const { failures } = await visitEach(documents.overdue(clock.now()), fail, {
      concurrency: maxConcurrentEnds,
      signal,
    });
    throwTogether(failures, 'documents could not be ended');
    return ended;
  }

  return { end, sweep };
}
