import { describe, expect, it } from 'vitest';
import { passageSearch, type TurnOrder } from '#domain/agents/turn-order.ts';

const embedded = (length: number) => async () => ({ body: { data: [{ embedding: Array(length).fill(1) }] }, cost: 0 });
const search = (scores: readonly number[]) => async () =>
  scores.map((score, start) => ({ documentId: 'doc_1', name: 'Handbook', start, end: start + 1, text: 'x', score }));
const order = { agent: { chunks: 9 }, message: { content: 'What is the weather in Oslo?' }, recent: [] };

describe('passages for a message', () => {
  it('are searched by its vector and its words', async () => {
    const queries: unknown[] = [];
    const found = passageSearch(embedded(1536) as never, {
      search: async (_agent, query, limit) => {
        queries.push(query, limit);
        return search([0.44, 0.04])();
      },
    });
    const passages = await found(order as unknown as TurnOrder);
    expect(passages.map(({ score }) => score)).toEqual([0.44, 0.04]);
    expect(queries).toEqual([{ text: order.message.content, vector: Array(1536).fill(1) }, 4]);
  });

  it.each([2, 1535, 5000])('are refused where the message has an embedding of %i dimensions', async (length) => {
    const found = passageSearch(embedded(length) as never, { search: search([0.4]) });
    await expect(found(order as unknown as TurnOrder)).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });
});
