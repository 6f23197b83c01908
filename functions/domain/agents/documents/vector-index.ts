import type { PageRequest } from '../agent-store.ts';
import type { Agent, AgentRef, Page } from '../agent.ts';
import type { Chunk } from './chunks.ts';
import type { AgentDocument, DocumentRef } from './document.ts';
import type { Query } from './ranking.ts';

/** A passage that was found. */
export interface Passage extends Chunk {
  readonly documentId: string;
  readonly name: string;
  /** Cosine similarity to the query. */
  readonly score: number;
}

/** Chunks that are embedded and stored together, of which only the last ones of a document are fewer. */
export const batchSize = 96;

/** A batch of a document's chunks with their vectors; `from` is the place of the first. */
export interface EmbeddedChunks {
  readonly from: number;
  readonly chunks: readonly Chunk[];
  readonly vectors: readonly (readonly number[])[];
}

/** Finds passages of documents. Stored in DynamoDB; another store could replace it (docs/adr/0022-agents.md). */
export interface VectorIndex {
  /** While the document is there and being indexed, else false. */
  add(document: DocumentRef, embedded: EmbeddedChunks): Promise<boolean>;
  /** The best passages of the agent's documents that are ready, best first. */
  search(agent: Agent, query: Query, limit: number): Promise<readonly Passage[]>;
}

/** The documents of agents. Moments in epoch ms. */
export interface DocumentStore {
  /** Newest first. */
  page(agent: AgentRef, request: PageRequest): Promise<Page<AgentDocument>>;
  find(ref: DocumentRef): Promise<AgentDocument | undefined>;
  /** False when the agent has no room for its chunks, or is gone. */
  begin(document: AgentDocument): Promise<boolean>;
  /** From then on it is searched; false when it is gone. */
  finish(ref: DocumentRef): Promise<boolean>;
  /** Its chunks go with it; false when there was none. */
  remove(document: AgentDocument, now: number): Promise<boolean>;
}
