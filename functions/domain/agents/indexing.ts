import { setTimeout as sleep } from 'node:timers/promises';
import type { NewDocument } from '#contract/agents/documents.ts';
import { limits } from '#contract/shared/limits.ts';
import { doublingPause } from '#contract/shared/time.ts';
import type { Inference } from '../inference/inference.ts';
import { type Order, TokenCount } from '../inference/order.ts';
import { tariffOf, tariffOfCode } from '../inference/tariff.ts';
import { cutText } from '../inference/translation.ts';
import type { OpenHold } from '../meter/metering.ts';
import type { RefundableCharge } from '../meter/refund.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, MessageQueue, Random, Tokenizer } from '../shared/ports.ts';
import { accountBusy, ServiceError } from '../shared/service-error.ts';
import { codePoints } from '../shared/text.ts';
import { type AgentService, throwNotFound } from './agent.ts';
import {
  type AgentDocument,
  type DocumentRef,
  documentView,
  embeddingModel,
  type IndexingEnds,
  type OpenIndexing,
  checkedVectors,
} from './document.ts';
import { batchSize, type DocumentStore, type VectorIndex } from './vector-index.ts';

export interface DocumentOrder extends Order {
  readonly document: NewDocument;
}

/** Time limits in ms of the request, and of the indexing (the queue redelivers after 30 minutes). */
const patienceMs = { adding: 5 * 60_000, indexing: 3_600_000 } as const;

export interface AddingParts {
  readonly agents: Pick<AgentService, 'existing'>;
  readonly documents: Pick<DocumentStore, 'begin' | 'addTexts' | 'extend'>;
  readonly ends: Pick<IndexingEnds, 'end'>;
  readonly queue: () => Promise<MessageQueue>;
  readonly tokenizer: Tokenizer;
  readonly clock: Clock;
  readonly random: Random;
  readonly onError: (error: unknown) => void;
}

export function documentAdding(parts: AddingParts) {
  const { agents, documents, ends, queue, tokenizer, clock, random, onError } = parts;

  /** Reserves one token per byte, or the tokens of the text if the account has no more credits. */
  function order(document: NewDocument): DocumentOrder {
    const model = embeddingModel();
    const tariff = tariffOf(model, 'embeddings', clock.now());
    const amount = tariff.max(Buffer.byteLength(document.text), 0);
    const order = { model, amount, price: tariff.price, document };
    async function within(budget: number): Promise<DocumentOrder | undefined> {
      const affordable = tariff.inputWithin(budget);
      const tokens = await new TokenCount([document.text], tokenizer).upTo(affordable);
      return tokens > affordable ? undefined : { ...order, amount: tariff.max(tokens, 0) };
    }
    return { ...order, within };
  }

  /** Refuses an agent that does not exist (404) or certainly has no room (409), without cutting the text. */
  async function check(accountId: number, agentId: string, { document }: DocumentOrder): Promise<void> {
    const agent = await agents.existing(accountId, agentId);
    const room = limits.agentChunks - agent.chunks;
    if (room >= Buffer.byteLength(document.text) / chunkBytes) return;
    const minChunks = minChunksOf(document.text);
    if (minChunks > room) throw noRoom(`at least ${minChunks}`, agent.chunks);
  }

  /** Charges the call, stores everything and queues it. Errors are rolled back here, crashes by the sweep. */
  async function add(accountId: number, agentId: string, { document: given }: DocumentOrder, openHold: OpenHold) {
    const { name, text } = given;
    const chunks = chunksOf(text);
    if (chunks.length > limits.agentChunks) throw tooManyChunks(chunks.length);
    const now = clock.now();
    const ref: DocumentRef = { accountId, agentId, id: timedId('doc', now, random) };
    const document: AgentDocument = {
      ...ref,
      name,
      status: 'indexing',
      bytes: Buffer.byteLength(text),
      chunks: chunks.length,
      indexedChunks: 0,
      tokens: 0,
      cost: openHold.held,
      createdAt: now,
    };
    const opened = (charge: RefundableCharge): OpenIndexing => {
      return { ...ref, charge, chunks: chunks.length, deadline: now + patienceMs.adding };
    };
    let open: OpenIndexing | undefined;
    const outcome = await openHold.settleWith(openHold.held, now, async (settlement, charge) => {
      open = opened(charge);
      return documents.begin(document, open, settlement);
    });
    if (!open || outcome !== 'done') {
      const agent = await agents.existing(accountId, agentId);
      if (outcome === 'no capacity') throw noRoom(String(chunks.length), agent.chunks);
      throw accountBusy();
    }
    try {
      if (!(await documents.addTexts(ref, chunks))) throwNotFound('document');
      await (await queue()).send(ref, { group: String(accountId) });
    } catch (error) {
      await ends.end(open, 'removed').catch(onError);
      throw error;
    }
    await documents.extend(ref.id, clock.now() + patienceMs.indexing).catch(onError);
    return documentView(document);
  }

  return { order, check, add };
}

/** Attempts of a batch whose model is busy, and the first pause in ms, which doubles: 7.75 s in total. */
const maxBusyTries = 6;
const busyPauseMs = 250;

export interface IndexingParts {
  readonly documents: DocumentStore;
  readonly vectors: Pick<VectorIndex, 'add'>;
  readonly ends: Pick<IndexingEnds, 'end'>;
  readonly inference: Pick<Inference, 'embed'>;
  readonly queue: () => Promise<MessageQueue>;
  readonly runMs: number;
  readonly clock: Clock;
  readonly onFailure: (error: unknown, document: DocumentRef) => void;
}

export function documentIndexing(parts: IndexingParts) {
  const { documents, vectors, ends, inference, queue, runMs, clock, onFailure } = parts;

  return async function index(ref: DocumentRef): Promise<void> {
    const open = await documents.findOpen(ref.id);
    if (!open) return;
    const startedAt = clock.now();
    await documents.extend(ref.id, startedAt + patienceMs.indexing);
    try {
      const { is, tokens } = await embedAll(open, startedAt + runMs);
      if (is === 'out of time') await (await queue()).send(ref, { group: String(ref.accountId) });
      else if (is !== 'in progress elsewhere') {
        const tariff = tariffOfCode(open.charge.price) ?? tariffOf(embeddingModel(), 'embeddings', startedAt);
        await ends.end(open, is, tariff.cost({ prompt_tokens: tokens, completion_tokens: 0 }));
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      onFailure(error, ref);
      await ends.end(open, 'failed');
    }
  };

  /** Continues after the indexed chunks. `in progress elsewhere`: another run is indexing the document. */
  async function embedAll(
    ref: DocumentRef,
    end: number,
  ): Promise<{ readonly is: 'ready' | 'deleted' | 'in progress elsewhere' | 'out of time'; readonly tokens: number }> {
    const [document, chunks] = await Promise.all([documents.find(ref), documents.texts(ref)]);
    if (document?.status !== 'indexing') return { is: 'deleted', tokens: 0 };
    let { indexedChunks: from, tokens } = document;
    for (; from < chunks.length; from += batchSize) {
      if (clock.now() > end) return { is: 'out of time', tokens };
      const batch = chunks.slice(from, from + batchSize);
      const embedded = await embed(batch.map(({ text }) => text));
      tokens += embedded.tokens;
      if (!(await vectors.add(ref, { from, chunks: batch, ...embedded })))
        return { is: (await documents.find(ref)) ? 'in progress elsewhere' : 'deleted', tokens };
    }
    return { is: 'ready', tokens };
  }

  /** Retries here while the model is busy, because the queue would wait 30 minutes. */
  async function embed(input: string[]) {
    const model = embeddingModel();
    const request = { model, input, encoding_format: 'float' } as const;
    const { body } = await retryBusy(() => inference.embed({ request: { input }, input: request }));
    const found = body.data.map(({ embedding }) => (typeof embedding === 'string' ? [] : embedding));
    return { model, vectors: checkedVectors(model, found), tokens: body.usage.prompt_tokens };
  }
}

async function retryBusy<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const isBusy = error instanceof ServiceError && error.code === 'SERVICE_UNAVAILABLE';
      if (!isBusy || tries === maxBusyTries) throw error;
      await sleep(doublingPause(tries, { first: busyPauseMs }));
    }
  }
}

function tooManyChunks(count: number): ServiceError {
  const detail = `text must have at most ${limits.agentChunks} chunks; it has ${count}. Split it into several documents.`;
  return new ServiceError('INVALID_FORMAT', detail, { field: { path: 'text', isMissing: false } });
}

function noRoom(chunks: string, used: number): ServiceError {
  const detail = `An agent can have at most ${limits.agentChunks} chunks. This one has ${used}, and the document needs ${chunks}. Delete a document first.`;
  return new ServiceError('INVALID_STATE', detail);
}

export interface Chunk {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** UTF-8 bytes per chunk: about 250 tokens of English, so that several fit into any context. */
export const chunkBytes = 1000;

/** Cuts a text into passages, at sentence ends if possible, and trims whitespace. */
export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let at = 0;
  for (const { before, text: passage, after } of cutText(text, chunkBytes)) {
    const start = at + codePoints(before);
    const end = start + codePoints(passage);
    if (passage !== '') chunks.push({ start, end, text: passage });
    at = end + codePoints(after);
  }
  return chunks;
}

/** Lower bound of the number of chunks, at least 1. Takes 2 ms for 1 MiB; cutting the text takes 300 ms. */
export function minChunksOf(text: string): number {
  let minBytes = 0;
  for (let at = 0; at < text.length; at++) if (!mayBeSpace(text.charCodeAt(at))) minBytes += 1;
  return Math.max(1, Math.ceil(minBytes / chunkBytes));
}

const mayBeSpace = (unit: number): boolean =>
  unit <= 0x20 || unit === 0x85 || unit === 0xa0 || (unit >= 0x1680 && unit <= 0x3000) || unit === 0xfeff;
