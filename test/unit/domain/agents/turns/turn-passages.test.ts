import { describe, expect, it } from 'vitest';
import type { TurnOrder } from '#domain/agents/turns/turn-order.ts';
import { passageSearch } from '#domain/agents/turns/turn-passages.ts';

const embed = async () => ({ body: { data: [{ embedding: [1, 0] }] }, cost: 0 });
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
    const found = passageSearch(embed as never, { search: search(scores) });
    const passages = await found(order as unknown as TurnOrder);
    expect(passages.map(({ score }) => score)).toEqual(sent);
  });
});
