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
  /** Tokens of the chunks that are embedded so far. */
  readonly tokens: number;
  /** Microcredits that it is charged for. */
  readonly cost: number;
  readonly createdAt: number;
}

/** An indexing that has not ended. It outlives its document and its agent, so that its charge is settled even if they are deleted. */
export interface OpenIndexing extends DocumentRef {
  /** Of the call that added the document. */
  readonly charge: KeptCharge;
  readonly chunks: number;
  /** The sweep ends it after this time, in epoch ms. */
  readonly deadline: number;
}

/** `gone`: its document was deleted with its agent. `removed`: the owner deletes it. */
export type IndexingEnd = 'ready' | 'failed' | 'removed' | 'gone';

/** A document as its owner sees it. */
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
