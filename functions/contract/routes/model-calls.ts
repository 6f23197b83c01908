import { limits } from '../shared/limits.ts';

const modelCall = {
  method: 'POST',
  credential: 'key',
  idempotent: true,
  uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true, content: 'write' },
  streaming: true,
} as const;

/**
 * For routes whose cost is mostly memory that waits for a model: with the largest body, a process uses 200 MB
 * (docs/performance.md#memory-of-functions). Not for those with log probabilities (30 MB) or stored conversations
 * (8 MiB).
 */
export const littleMemory = { memoryMb: 256 } as const;

/** Common settings of the OpenAI-compatible operations and the others. */
export const modelCalls = {
  chat: { ...modelCall, priced: { service: 'chat', capability: 'chat' }, timeoutSeconds: 300 },
  completion: { ...modelCall, priced: { service: 'completion', capability: 'completion' }, timeoutSeconds: 300 },
  embeddings: {
    ...modelCall,
    priced: { service: 'embeddings', capability: 'embeddings' },
    maxBodyBytes: limits.embeddingsBodyBytes,
  },
} as const;
