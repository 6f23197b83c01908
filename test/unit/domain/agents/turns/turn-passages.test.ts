import { describe, expect, it } from 'vitest';
import type { TurnOrder } from '#domain/agents/turns/turn-order.ts';
import { passageSearch } from '#domain/agents/turns/turn-passages.ts';

const embedded = (length: number) => async () => ({ body: { data: [{ embedding: Array(length).fill(1) }] }, cost: 0 });
const search = (scores: readonly number[]) => async () =>
  scores.map((score, start) => ({ documentId: 'doc_1', name: 'Handbook', start, end: start + 1, text: 'x', score }));
const order = { agent: { chunks: 9 }, message: { content: 'What is the weather in Oslo?' }, recent: [] };

describe('passages for a message', () => {
  it.each([
    [
      [0.44, 0.1, 0.099, 0.04],
      [0.44, 0.1],
    ],
    [[0.08, 0.04, 0.015, 0], []],
    [[], []],
  ])('with scores %j are those of %j: what has nothing to do with it is not sent', async (scores, sent) => {
    const found = passageSearch(embedded(1536) as never, { search: search(scores) });
    const passages = await found(order as unknown as TurnOrder);
    expect(passages.map(({ score }) => score)).toEqual(sent);
  });

  it.each([2, 1535, 5000])('are refused where the message has an embedding of %i dimensions', async (length) => {
    const found = passageSearch(embedded(length) as never, { search: search([0.4]) });
    await expect(found(order as unknown as TurnOrder)).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });
});
