import type { NewDocument } from '#contract/agents/documents.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { models } from '#contract/inference/models.ts';
import { limits } from '#contract/shared/limits.ts';
import type { Inference } from '../../inference/inference.ts';
import type { EmbeddingsOrder } from '../../inference/model-order.ts';
import type { Proof } from '../../inference/tokens.ts';
import { timedId } from '../../shared/ids.ts';
import type { Clock, Random } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import { type AgentService, missing } from '../agent-service.ts';
import type { PageRequest } from '../agent-store.ts';
import { type Chunk, chunksOf } from './chunks.ts';
import { type AgentDocument, documentView } from './document.ts';
import { batchSize, type DocumentStore, type VectorIndex } from './vector-index.ts';

/** What documents and messages are embedded by. */
const embedder = models.find(({ dimensions }) => dimensions !== null);
export const embeddingModel = embedder?.id ?? 'svc-embed';

export interface DocumentListParts {
  readonly agents: Pick<AgentService, 'existing'>;
  readonly documents: DocumentStore;
  /** Refuses (429) an account that deletes too many. */
  readonly demandChange: (accountId: number) => Promise<void>;
  readonly clock: Clock;
}

/** The documents of an agent, for its owner to list and delete. */
export function documentList({ agents, documents, demandChange, clock }: DocumentListParts) {
  async function list(accountId: number, agentId: string, request: PageRequest) {
    const agent = await agents.existing(accountId, agentId);
    const { items, next } = await documents.page(agent, request);
    return { items: items.map((document) => documentView(document, clock.now())), nextCursor: next };
  }

  async function remove(accountId: number, { id: agentId, documentId: id }: { id: string; documentId: string }) {
    await agents.existing(accountId, agentId);
    const document = (await documents.find({ accountId, agentId, id })) ?? missing('document');
    await demandChange(accountId);
    if (!(await documents.remove(document, clock.now()))) missing('document');
  }

  return { list, remove };
}

export interface DocumentOrder extends EmbeddingsOrder {
  readonly document: NewDocument;
  readonly chunks: readonly Chunk[];
}

export interface IndexingParts {
  readonly agents: Pick<AgentService, 'existing'>;
  readonly documents: DocumentStore;
  readonly vectors: Pick<VectorIndex, 'add'>;
  readonly inference: Pick<Inference, 'orderEmbeddings' | 'embed'>;
  /** Ms that a request may take until all is embedded, and until its function has ended for certain. */
  readonly patience: { readonly indexingMs: number; readonly functionMs: number };
  readonly clock: Clock;
  readonly random: Random;
}

/** Cuts, embeds and stores documents (docs/agents.md#documents). */
export function documentIndexing(parts: IndexingParts) {
  const { agents, documents, vectors, inference, patience, clock, random } = parts;

  /** Refuses (400) a text of too many chunks. */
  async function order(document: NewDocument, prove: Proof): Promise<DocumentOrder> {
    await prove();
    const chunks = chunksOf(document.text);
    if (chunks.length > limits.agentChunks) {
      const detail = `text must have at most ${limits.agentChunks} chunks, and it has ${chunks.length}.`;
      throw new ServiceError('INVALID_FORMAT', detail, { field: { path: 'text', isMissing: false } });
    }
    const input = chunks.map(({ text }) => text);
    const request = { model: embeddingModel, input, encoding_format: 'float' } as const;
    const embeddings = await inference.orderEmbeddings(request, prove);
    const withDocument = (one: EmbeddingsOrder) => ({ ...one, document, chunks });
    const within: DocumentOrder['within'] = async (budget) => {
      const smaller = await embeddings.within?.(budget);
      return smaller && withDocument({ ...embeddings, ...smaller });
    };
    return { ...withDocument(embeddings), within };
  }

  /** Refuses (404, 409) an agent that is not there or has no room. */
  async function check(accountId: number, agentId: string, { chunks }: DocumentOrder): Promise<void> {
    const agent = await agents.existing(accountId, agentId);
    if (agent.chunks + chunks.length > limits.agentChunks) throw noRoom(chunks.length, agent.chunks);
  }

  /** All of the document or nothing; `cost` in microcredits. */
  async function add(accountId: number, agentId: string, { document: { name, text }, chunks }: DocumentOrder) {
    const now = clock.now();
    const document: AgentDocument = {
      accountId,
      agentId,
      id: timedId('doc', now, random),
      name,
      status: 'indexing',
      bytes: Buffer.byteLength(text),
      chunks: chunks.length,
      indexedChunks: 0,
      createdAt: now,
      deadline: now + patience.functionMs,
    };
    if (!(await documents.begin(document))) {
      const agent = await agents.existing(accountId, agentId);
      throw noRoom(chunks.length, agent.chunks);
    }
    try {
      const { cost, tokens } = await index(document, chunks);
      if (!(await documents.finish(document))) missing('document');
      const ready: AgentDocument = { ...document, status: 'ready', indexedChunks: chunks.length };
      const usage = { prompt_tokens: tokens, total_tokens: tokens };
      return { body: { ...documentView(ready, now), credits: cost / microPerCredit, usage }, cost };
    } catch (error) {
      await documents.remove(document, clock.now()).catch(() => undefined);
      throw error;
    }
  }

  async function index(document: AgentDocument, chunks: readonly Chunk[]): Promise<{ cost: number; tokens: number }> {
    const end = document.createdAt + patience.indexingMs;
    let [cost, tokens] = [0, 0];
    for (let from = 0; from < chunks.length; from += batchSize) {
      if (clock.now() > end) throw new ServiceError('MODEL_TIMEOUT', 'The model did not respond in time.');
      const batch = chunks.slice(from, from + batchSize);
      const input = batch.map(({ text }) => text);
      const request = { model: embeddingModel, input, encoding_format: 'float' } as const;
      const embedded = await inference.embed({ model: embeddingModel, amount: 0, request: { input }, input: request });
      cost += embedded.cost;
      tokens += embedded.body.usage.prompt_tokens;
      const found = embedded.body.data.map(({ embedding }) => (typeof embedding === 'string' ? [] : embedding));
      if (!(await vectors.add(document, { from, chunks: batch, vectors: wholeVectors(found) }))) missing('document');
    }
    return { cost, tokens };
  }

  return { order, check, add };
}

/** Refuses (502) embeddings of another length than the model's in the catalogue. */
export function wholeVectors(vectors: readonly (readonly number[])[]): readonly (readonly number[])[] {
  if (vectors.every(({ length }) => length === embedder?.dimensions)) return vectors;
  throw new ServiceError('MODEL_ERROR', 'The model returned embeddings of the wrong length.');
}

function noRoom(chunks: number, there: number): ServiceError {
  const detail = `An agent may have ${limits.agentChunks} chunks; this one has ${there}, and the document ${chunks}.`;
  return new ServiceError('INVALID_STATE', detail);
}
