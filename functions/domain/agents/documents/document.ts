import type { documentStatuses } from '#contract/agents/documents.ts';

/** Names a document of an agent. */
export interface DocumentRef {
  readonly accountId: number;
  readonly agentId: string;
  readonly id: string;
}

/** A document of an agent, which is kept as its chunks. Moments in epoch ms. */
export interface AgentDocument extends DocumentRef {
  readonly name: string;
  readonly status: 'indexing' | 'ready';
  /** UTF-8 bytes of its text. */
  readonly bytes: number;
  readonly chunks: number;
  readonly indexedChunks: number;
  readonly createdAt: number;
  /** When the request that indexes it has ended, however it did. */
  readonly deadline: number;
}

/** A document as its owner sees it: one whose request died stays `failed` until it is deleted. */
export function documentView({ id, name, status, bytes, chunks, indexedChunks, ...about }: AgentDocument, now: number) {
  const isDead = status === 'indexing' && about.deadline <= now;
  const shown: (typeof documentStatuses)[number] = isDead ? 'failed' : status;
  const createdAt = new Date(about.createdAt).toISOString();
  return { id, name, status: shown, bytes, chunks, indexedChunks, createdAt };
}
