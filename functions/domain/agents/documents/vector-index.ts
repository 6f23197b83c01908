import type { ChargeSettlement } from '../../meter/meter-store.ts';
import type { MeterChanged } from '../../meter/metering.ts';
import type { RefundWrite, WrittenRefund } from '../../meter/refunds.ts';
import type { PageRequest } from '../agent-store.ts';
import type { Agent, AgentRef, Page } from '../agent.ts';
import type { Chunk } from './chunks.ts';
import type { AgentDocument, DocumentRef, IndexingEnd, OpenIndexing } from './document.ts';
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

/** A batch of a document's chunks with their vectors and tokens. `from`: index of the first chunk. */
export interface EmbeddedChunks {
  readonly from: number;
  readonly tokens: number;
  readonly chunks: readonly Chunk[];
  readonly vectors: readonly (readonly number[])[];
}

/** Finds passages of documents. Stored in DynamoDB; another store could replace it (docs/adr/0022-agents.md). */
export interface VectorIndex {
  /** Returns false unless the document is being indexed and contains exactly the chunks before `from`. */
  add(document: DocumentRef, embedded: EmbeddedChunks): Promise<boolean>;
  /** Returns the best passages of the agent's ready documents, best first. */
  search(agent: Agent, query: Query, limit: number): Promise<readonly Passage[]>;
}

/** The documents of agents and their texts. Times in epoch ms. */
export interface DocumentStore {
  /** Newest first. */
  page(agent: AgentRef, request: PageRequest): Promise<Page<AgentDocument>>;
  find(ref: DocumentRef): Promise<AgentDocument | undefined>;
  /**
   * Settles the call and adds its document, without text, in one write. `no room`: the agent is full or deleted.
   * `closed`: the call was already settled.
   */
  begin(
    document: AgentDocument,
    open: OpenIndexing,
    settlement: ChargeSettlement,
  ): Promise<'done' | 'no room' | MeterChanged>;
  /** Returns false if the document is no longer being indexed. */
  addTexts(document: DocumentRef, chunks: readonly Chunk[]): Promise<boolean>;
  texts(document: DocumentRef): Promise<readonly Chunk[]>;
  /** Undefined once the indexing has ended. */
  findOpen(documentId: string): Promise<OpenIndexing | undefined>;
  /** Extends the deadline of open indexing; never shortens it. */
  extend(documentId: string, deadline: number): Promise<void>;
  /** Open indexings that are past their deadline. */
  overdue(now: number): AsyncGenerator<OpenIndexing>;
  /** Ends open indexing once, in one write with its refund. Undefined: nothing is refunded. */
  end(open: OpenIndexing, end: EndOfIndexing, refund: RefundWrite | undefined): Promise<WrittenRefund>;
  /** Deletes a document with its chunks; its indexing ends by itself. Returns false if it has changed, or does not exist. */
  remove(document: AgentDocument, now: number): Promise<boolean>;
}

export interface EndOfIndexing {
  readonly status: IndexingEnd;
  /** Microcredits charged in total. */
  readonly cost: number;
  readonly now: number;
}
