import { describe, expect, it } from 'vitest';
import { specifiedCompletion } from '#domain/inference/completion.ts';
import { inference } from '#domain/inference/inference.ts';
import { tokenPrice } from '#domain/meter/pricing.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';

const uncalled = () => {
  throw new Error('this model is not called here');
};

/** What a completion of a container costs that reports such a usage. */
async function costOf(usage: unknown, text = 'one two three'): Promise<number> {
  const reply = { choices: [{ text, finish_reason: 'stop' }], usage } as never;
  const others = { chat: uncalled, chatStream: uncalled, completionStream: uncalled, embed: uncalled };
  const gateway = { ...others, completion: () => ({ prepare: uncalled, send: async () => reply }) };
  const { orderCompletion, complete } = inference(gateway, bpeTokenizer, { now: () => 0 });
  const order = await orderCompletion(
    { model: 'svc-instruct', prompt: 'zero', stream: false } as never,
    specifiedCompletion,
    async () => undefined,
  );
  if (order.stream) throw new Error('a whole reply was requested');
  return (await complete(order, 'request')).cost;
}

describe('what a model reports that it used', () => {
  const counted = tokenPrice('completion', 4);

  it.each([
    ['is charged to the token', { prompt_tokens: 7, completion_tokens: 5 }, tokenPrice('completion', 12)],
    ['is counted by us when it is 0 for a text', { prompt_tokens: 0, completion_tokens: 0 }, counted],
    ['is counted by us when it is missing', undefined, counted],
    ['is counted by us when it is null', null, counted],
    ['is counted by us when it is negative', { prompt_tokens: 1, completion_tokens: -5 }, counted],
    ['is counted by us when it is a fraction', { prompt_tokens: 1.5, completion_tokens: 5 }, counted],
    ['is counted by us when it is no number that could be', { prompt_tokens: 1, completion_tokens: 2 ** 60 }, counted],
  ])('%s: %s', async (_, usage, cost) => {
    expect(await costOf(usage)).toBe(cost);
  });

  it('may be nothing when nothing was generated', async () => {
    expect(await costOf({ prompt_tokens: 0, completion_tokens: 0 }, '')).toBe(0);
    expect(await costOf({ prompt_tokens: 7, completion_tokens: 0 }, '')).toBe(tokenPrice('completion', 7));
  });
});
