import type { ChargeSettlement } from '../meter/meter.ts';
import type { MeterChanged } from '../meter/metering.ts';
import type { RefundWrite, WrittenRefund } from '../meter/refund.ts';
import type { Page } from '../shared/ports.ts';
import type { Agent, AgentRef, PageRequest } from './agent.ts';
import type { AgentDocument, DocumentRef, IndexingEnd, OpenIndexing } from './document.ts';
import type { Chunk } from './indexing.ts';

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

/** Vectors and words of consecutive passages of a document. Documents stored by earlier releases have no words. */
export interface PassageBlock {
  /** Id of the model that embedded it. */
  readonly model: string;
  readonly count: number;
  readonly vectors: Uint8Array;
  readonly words?: Uint8Array | undefined;
}

export interface Query {
  readonly text: string;
  /** Id of the model of `vector`. */
  readonly model: string;
  readonly vector: readonly number[];
}

export interface Ranked<Block extends PassageBlock = PassageBlock> {
  readonly block: Block;
  readonly place: number;
  readonly score: number;
}

/** Unrelated passages have a lower cosine similarity (docs/adr/0022-agents.md). */
const minScore = 0.1;
const minShare = 0.2;
const rarestWords = 8;
const minCandidates = 20;
const rankConstant = 10;
/** Constants of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009). */
const bm25 = { k1: 1.2, b: 0.75 } as const;

/** Ranks passages by vectors and words, best first. Passages of another model, whose vectors differ, by words only. */
export function rankPassages<Block extends PassageBlock>(
  blocks: readonly Block[],
  { text, model, vector }: Query,
  limit: number,
): Ranked<Block>[] {
  const query = unit(vector);
  const isComparable = ({ model: other, count, vectors }: Block): boolean =>
    other === model && vectors.length === count * (query.length + 4);
  const scored = (block: Block): Float32Array =>
    isComparable(block) ? scoresOf(block.vectors, block.count, query) : new Float32Array(block.count);
  const passages = blocks.flatMap((block) => [...scored(block)].map((score, place) => ({ block, place, score })));
  const wordScores = scoresByWords(blocks, text);
  const candidates = Math.max(minCandidates, limit);
  const byVectors = best(passages, candidates, ({ score }) => (score >= minScore ? score : 0));
  const byWords = best(passages, candidates, ({ block, place }) => wordScores.get(block)?.[place] ?? 0);
  return fused([byVectors, byWords]).slice(0, limit);
}

function best<Passage>(passages: readonly Passage[], count: number, scoreOf: (passage: Passage) => number): Passage[] {
  const scored = passages.map((passage) => ({ passage, score: scoreOf(passage) })).filter(({ score }) => score > 0);
  return scored
    .toSorted((one, other) => other.score - one.score)
    .slice(0, count)
    .map(({ passage }) => passage);
}

/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
function fused<Passage>(rankings: readonly (readonly Passage[])[]): Passage[] {
  const sums = new Map<Passage, number>();
  for (const ranking of rankings)
    for (const [rank, passage] of ranking.entries())
      sums.set(passage, (sums.get(passage) ?? 0) + 1 / (rankConstant + rank + 1));
  return [...sums].toSorted(([, one], [, other]) => other - one).map(([passage]) => passage);
}

const lowBits = 0xffff;

/** Returns BM25 scores; 0 below `minShare` of the weight of the query's rarest words. */
function scoresByWords(blocks: readonly PassageBlock[], text: string): ReadonlyMap<PassageBlock, Float32Array> {
  const wanted = new Map([...countWords(text).keys()].map((word, at) => [word, at]));
  // Most words are not in the query. Testing their low bits is faster than looking them up in the map.
  const mayBeWanted = new Uint8Array(lowBits + 1);
  for (const word of wanted.keys()) mayBeWanted[word & lowBits] = 1;
  const wantedAt = (word: number): number | undefined => (mayBeWanted[word & lowBits] ? wanted.get(word) : undefined);
  const having = new Uint32Array(wanted.size);
  const lengths = blocks.map(({ count }) => new Uint32Array(count));
  let [passages, total] = [0, 0];
  for (const [block, { count, words }] of blocks.entries()) {
    passages += count;
    visitWords(words, count, (place, word, times) => {
      increase(lengths[block], place, times);
      increase(having, wantedAt(word), 1);
      total += times;
    });
  }
  const weights = Float64Array.from(having, (n) => Math.log(1 + (passages - n + 0.5) / (n + 0.5)));
  const rarest = weights.toSorted((one, other) => other - one).slice(0, rarestWords);
  const minWeight = minShare * rarest.reduce((sum, weight) => sum + weight, 0);
  const average = total / passages || 1;
  const scoresOfBlock = ({ count, words }: PassageBlock, block: number): Float32Array => {
    const scores = new Float32Array(count);
    const shared = new Float32Array(count);
    visitWords(words, count, (place, word, times) => {
      const at = wantedAt(word);
      if (at === undefined) return;
      const weight = weights[at] ?? 0;
      const length = (lengths[block]?.[place] ?? 0) / average;
      const saturated = (times * (bm25.k1 + 1)) / (times + bm25.k1 * (1 - bm25.b + bm25.b * length));
      increase(scores, place, weight * saturated);
      increase(shared, place, weight);
    });
    return scores.map((score, place) => ((shared[place] ?? 0) < minWeight ? 0 : score));
  };
  return new Map(blocks.map((block, at) => [block, scoresOfBlock(block, at)]));
}

function increase(sums: Uint32Array | Float32Array | undefined, at: number | undefined, by: number): void {
  if (sums && at !== undefined) sums[at] = (sums[at] ?? 0) + by;
}

export type WordCounts = ReadonlyMap<number, number>;

/** Maximum distinct words stored per passage of 1,000 bytes. English prose has about 120. */
const maxWords = 400;
const maxCount = 255;

const insideNames = /(?<=\p{Ll})(?=\p{Lu})/gu;
const words = /[\p{L}\p{N}]+/gu;
/** Scripts without spaces, or with word endings that change. Pairs of characters replace words. */
const unspaced =
  /([\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+)/u;

/** Hashes the words of a text, ignoring case and diacritics. Names such as `maxTokens` count as two words. */
export function countWords(text: string): WordCounts {
  const plain = text
    .replaceAll(insideNames, ' ')
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .normalize('NFC');
  const counts = new Map<number, number>();
  for (const [run] of plain.toLowerCase().matchAll(words))
    for (const word of termsOf(run)) {
      const key = hash(word);
      const count = counts.get(key);
      if (count === undefined && counts.size >= maxWords) continue;
      counts.set(key, Math.min(maxCount, (count ?? 0) + 1));
    }
  return counts;
}

function* termsOf(run: string): Generator<string> {
  if (!unspaced.test(run)) {
    yield run;
    return;
  }
  for (const [place, part] of run.split(unspaced).entries()) {
    if (part === '') continue;
    if (place % 2 === 0 || part.length === 1) yield part;
    else for (let at = 0; at + 1 < part.length; at++) yield part.slice(at, at + 2);
  }
}

/** FNV-1a, 32 bits, over UTF-16 code units. Fewer than one pair among 50,000 words is expected to collide. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/**
 * Bytes per word: its hash (uint32, little-endian) and its count. A passage starts with its number of words (uint16).
 */
const wordBytes = 5;
const headBytes = 2;

export function packWords(passages: readonly WordCounts[]): Uint8Array {
  const size = passages.reduce((sum, counts) => sum + headBytes + counts.size * wordBytes, 0);
  const packed = new Uint8Array(size);
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const counts of passages) {
    view.setUint16(at, counts.size, true);
    at += headBytes;
    for (const [word, count] of counts) {
      view.setUint32(at, word, true);
      view.setUint8(at + 4, count);
      at += wordBytes;
    }
  }
  return packed;
}

/** Throws a RangeError unless the bytes encode `count` passages. */
function visitWords(
  packed: Uint8Array | undefined,
  count: number,
  visit: (passage: number, word: number, count: number) => void,
): void {
  if (!packed) return;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  let at = 0;
  for (let passage = 0; passage < count; passage++) {
    const size = view.getUint16(at, true);
    at += headBytes;
    for (const end = at + size * wordBytes; at < end; at += wordBytes)
      visit(passage, view.getUint32(at, true), view.getUint8(at + 4));
  }
  if (at !== packed.length) throw new RangeError('the words are not those of so many passages');
}
