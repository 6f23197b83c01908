import type { documentStatuses } from '#contract/agents/documents.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { KeptCharge } from '../../meter/refund.ts';

/** Names a document of an agent. */
export interface DocumentRef {
  readonly accountId: number;
  readonly agentId: string;
  readonly id: string;
}

/** A document of an agent, stored as its chunks. Times in epoch ms. */
export interface AgentDocument extends DocumentRef {
  readonly name: string;
  readonly status: (typeof documentStatuses)[number];
  /** UTF-8 bytes of its text. */
  readonly bytes: number;
  readonly chunks: number;
  readonly indexedChunks: number;
  /** Tokens of the chunks embedded so far. */
  readonly tokens: number;
  /** Microcredits charged. */
  readonly cost: number;
  readonly createdAt: number;
}

/** Indexing that has not ended. Outlives its document and agent, so that the charge is settled even if they are deleted. */
export interface OpenIndexing extends DocumentRef {
  /** Charge of the call that added the document. */
  readonly charge: KeptCharge;
  readonly chunks: number;
  /** Epoch ms. The sweep ends the indexing after this time. */
  readonly deadline: number;
}

/** `gone`: the document or its agent was deleted. `removed`: the document could not be added. */
export type IndexingEnd = 'ready' | 'failed' | 'removed' | 'gone';

/** A document as returned to its owner. */
export function documentView({ id, name, status, bytes, chunks, indexedChunks, ...document }: AgentDocument) {
  const { tokens, cost, createdAt } = document;
  return {
    id,
    name,
    status,
    bytes,
    chunks,
    indexedChunks,
    createdAt: new Date(createdAt).toISOString(),
    credits: cost / microPerCredit,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}
