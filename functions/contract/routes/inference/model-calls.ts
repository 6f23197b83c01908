import { limits } from '../../shared/limits.ts';

const modelCall = {
  method: 'POST',
  credential: 'key',
  idempotent: true,
  uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true },
  streaming: true,
} as const;

/** What the operations for OpenAI's clients have in common with the others: the same models, prices and charges. */
export const modelCalls = {
  chat: { ...modelCall, priced: { service: 'chat', capability: 'chat' }, timeoutSeconds: 300 },
  completion: { ...modelCall, priced: { service: 'completion', capability: 'completion' }, timeoutSeconds: 300 },
  embeddings: {
    ...modelCall,
    priced: { service: 'embeddings', capability: 'embeddings' },
    maxBodyBytes: limits.embeddingsBodyBytes,
  },
} as const;
