import type { ChargeSettlement } from '../meter/meter-store.ts';
import type { MeterChanged } from '../meter/metering.ts';
import type { RefundWrite, WrittenRefund } from '../meter/refund.ts';
import type { Page } from '../shared/ports.ts';
import type { Agent, AgentRef, PageRequest } from './agent.ts';
import type { AgentDocument, DocumentRef, IndexingEnd, OpenIndexing } from './document.ts';
import type { Chunk } from './indexing.ts';
import type { Query } from './ranking.ts';

export interface Passage extends Chunk {
  readonly documentId: string;
  readonly name: string;
  readonly score: number;
}

/** Chunks embedded and stored together. Only the last batch of a document is smaller. */
export const batchSize = 96;

/** A batch of a document's chunks with their vectors and tokens. `from`: index of the first chunk. */
export interface EmbeddedChunks {
  readonly model: string;
  readonly from: number;
  readonly tokens: number;
  readonly chunks: readonly Chunk[];
  readonly vectors: readonly (readonly number[])[];
}

/** Finds passages of documents. Stored in DynamoDB; another store could replace it (docs/adr/0022-agents.md). */
export interface VectorIndex {
  /** Returns false unless the document is being indexed and contains exactly the chunks before `from`. */
  add(document: DocumentRef, embedded: EmbeddedChunks): Promise<boolean>;
  search(agent: Agent, query: Query, limit: number): Promise<readonly Passage[]>;
}

export interface DocumentStore {
  page(agent: AgentRef, request: PageRequest): Promise<Page<AgentDocument>>;
  find(ref: DocumentRef): Promise<AgentDocument | undefined>;
  /** Settles the call and adds its document in one write. `no capacity`: the agent is full or deleted. */
  begin(
    document: AgentDocument,
    open: OpenIndexing,
    settlement: ChargeSettlement,
  ): Promise<'done' | 'no capacity' | MeterChanged>;
  addTexts(document: DocumentRef, chunks: readonly Chunk[]): Promise<boolean>;
  texts(document: DocumentRef): Promise<readonly Chunk[]>;
  findOpen(documentId: string): Promise<OpenIndexing | undefined>;
  /** Extends the deadline of open indexing; never shortens it. */
  extend(documentId: string, deadline: number): Promise<void>;
  overdue(now: number): AsyncGenerator<OpenIndexing>;
  /** Ends open indexing once, in one write with its refund. Undefined: nothing is refunded. */
  end(open: OpenIndexing, end: EndOfIndexing, refund: RefundWrite | undefined): Promise<WrittenRefund>;
  /** Deletes a document and its chunks. Returns false if the document has changed or does not exist. */
  remove(document: AgentDocument, now: number): Promise<boolean>;
}

export interface EndOfIndexing {
  readonly status: IndexingEnd;
  readonly cost: number;
  readonly now: number;
}

/**
 * Packed vectors: a scale (float32, little-endian), then one signed byte per dimension. A quarter of the size of
 * 32-bit floats; scores differ by less than 0.01 (docs/adr/0022-agents.md).
 */
const scaleBytes = 4;
const maxByte = 127;

export function packVectors(vectors: readonly (readonly number[])[]): Uint8Array {
  const dimensions = vectors[0]?.length ?? 0;
  const packed = new Uint8Array(vectors.length * (scaleBytes + dimensions));
  const view = new DataView(packed.buffer);
  for (const [index, vector] of vectors.entries()) {
    if (vector.length !== dimensions) throw new RangeError('vectors of one index have one length');
    const start = index * (scaleBytes + dimensions);
    const length = Math.hypot(...vector) || 1;
    const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0) / length;
    const scale = largest / maxByte || 1;
    view.setFloat32(start, scale, true);
    for (const [at, value] of vector.entries())
      view.setInt8(start + scaleBytes + at, Math.round(value / length / scale));
  }
  return packed;
}

export function scoresOf(packed: Uint8Array, count: number, query: Float32Array): Float32Array {
  const size = scaleBytes + query.length;
  if (packed.length !== count * size) throw new RangeError('the query has another length than the vectors');
  const bytes = new Int8Array(packed.buffer, packed.byteOffset, packed.length);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const scores = new Float32Array(count);
  for (let index = 0; index < count; index++) {
    const start = index * size;
    scores[index] = view.getFloat32(start, true) * dot(bytes, start + scaleBytes, query);
  }
  return scores;
}

/** Four independent sums, so that the processor can add in parallel. */
function dot(bytes: Int8Array, start: number, query: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = query.length - (query.length % 4);
  for (let at = 0; at < whole; at += 4) {
    a += (bytes[start + at] ?? 0) * (query[at] ?? 0);
    b += (bytes[start + at + 1] ?? 0) * (query[at + 1] ?? 0);
    c += (bytes[start + at + 2] ?? 0) * (query[at + 2] ?? 0);
    d += (bytes[start + at + 3] ?? 0) * (query[at + 3] ?? 0);
  }
  for (let at = whole; at < query.length; at++) a += (bytes[start + at] ?? 0) * (query[at] ?? 0);
  return a + b + c + d;
}

export function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return Float32Array.from(vector, (value) => value / length);
}
