import { models } from '#contract/inference/models.ts';
import type { Clock } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import { type AgentService, missing } from '../agent-service.ts';
import type { PageRequest } from '../agent-store.ts';
import { documentView } from './document.ts';
import type { DocumentStore } from './vector-index.ts';

/** Embeds documents and messages. */
const embedder = models.find(({ dimensions }) => dimensions !== null);
export const embeddingModel = embedder?.id ?? 'svc-embed';

/** Throws 502 if the embeddings differ in length from the model's entry in the catalogue. */
export function wholeVectors(vectors: readonly (readonly number[])[]): readonly (readonly number[])[] {
  if (vectors.every(({ length }) => length === embedder?.dimensions)) return vectors;
  throw new ServiceError('MODEL_ERROR', 'The model returned embeddings of the wrong length.');
}

export interface DocumentListParts {
  readonly agents: Pick<AgentService, 'existing'>;
  readonly documents: DocumentStore;
  /** Refuses (429) an account that deletes too many. */
  readonly demandChange: (accountId: number) => Promise<void>;
  readonly clock: Clock;
}

/** Indexing can end between the reads and the write, but only once. */
const maxTries = 3;

/** The documents of an agent, for its owner to list and delete. */
export function documentList({ agents, documents, demandChange, clock }: DocumentListParts) {
  async function list(accountId: number, agentId: string, request: PageRequest) {
    const agent = await agents.existing(accountId, agentId);
    const { items, next } = await documents.page(agent, request);
    return { items: items.map(documentView), nextCursor: next };
  }

  async function remove(accountId: number, { id: agentId, documentId: id }: { id: string; documentId: string }) {
    await agents.existing(accountId, agentId);
    const ref = { accountId, agentId, id };
    if (!(await documents.find(ref))) missing('document');
    await demandChange(accountId);
    for (let tries = 0; tries < maxTries; tries++) {
      const document = (await documents.find(ref)) ?? missing('document');
      // A running indexing finds that the document is gone, and charges what was embedded until then.
      if (await documents.remove(document, clock.now())) return;
    }
    missing('document');
  }

  return { list, remove };
}
