import { limits } from '../shared/limits.ts';

const modelCall = {
  method: 'POST',
  credential: 'key',
  idempotent: true,
  uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true, content: 'write' },
  streaming: true,
} as const;

/**
 * For routes that wait long for a model, so that memory is most of their cost. With the largest body, a process uses
 * 200 MB (docs/performance.md#memory-of-functions).
 */
const longWait = { timeoutSeconds: 300, memoryMb: 256 } as const;

/** Common settings of the OpenAI-compatible operations and the others. */
export const modelCalls = {
  chat: { ...modelCall, priced: { service: 'chat', capability: 'chat' }, ...longWait },
  completion: { ...modelCall, priced: { service: 'completion', capability: 'completion' }, ...longWait },
  embeddings: {
    ...modelCall,
    priced: { service: 'embeddings', capability: 'embeddings' },
    maxBodyBytes: limits.embeddingsBodyBytes,
  },
} as const;
