import type { Inference } from '../../inference/inference.ts';
import { embeddingModel, wholeVectors } from '../documents/document-service.ts';
import type { Passage, VectorIndex } from '../documents/vector-index.ts';
import type { TurnOrder } from './turn-order.ts';

/** Passages that a turn gets at most; UTF-16 units of a message that they are searched by. */
const maxPassages = 4;
const maxQuery = 2000;

/** Of the agent's documents, for the message or the last before it that was no function's result. */
export function passageSearch(embed: Inference['embed'], vectors: Pick<VectorIndex, 'search'>) {
  return async ({ agent, message, recent }: TurnOrder): Promise<readonly Passage[]> => {
    if (agent.chunks === 0) return [];
    const text = message.content ?? recent.findLast(({ role }) => role === 'user')?.content ?? '';
    const input = text.slice(0, maxQuery).toWellFormed();
    if (!/\S/.test(input)) return [];
    const request = { model: embeddingModel, input, encoding_format: 'float' } as const;
    const { body } = await embed({ model: embeddingModel, amount: 0, request: { input: [input] }, input: request });
    const embedding = body.data[0]?.embedding;
    const [vector] = typeof embedding === 'object' ? wholeVectors([embedding]) : [];
    return vector ? vectors.search(agent, { text: input, vector }, maxPassages) : [];
  };
}
