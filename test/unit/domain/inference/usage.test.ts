import { describe, expect, it } from 'vitest';
import { specifiedCompletion } from '#domain/inference/completion.ts';
import { inference } from '#domain/inference/inference.ts';
import type { ModelGateway } from '#domain/inference/order.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { tokenPrice } from '#test/meter/token-price.ts';

const uncalled = () => {
  throw new Error('this model is not called here');
};
const others = {
  chat: uncalled,
  chatStream: uncalled,
  completion: uncalled,
  completionStream: uncalled,
  embed: uncalled,
};

/** The cost of a completion if the container reports this usage. */
async function costOf(usage: unknown, text = 'one two three'): Promise<number> {
  const reply = { choices: [{ text, finish_reason: 'stop' }], usage } as never;
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

describe('usage reported by a model', () => {
  const counted = tokenPrice('completion', 4);

  it.each([
    ['is charged to the token', { prompt_tokens: 7, completion_tokens: 5 }, tokenPrice('completion', 12)],
    ['is replaced by our count if it is 0 for a text', { prompt_tokens: 0, completion_tokens: 0 }, counted],
    ['is replaced by our count if it is 0 for the prompt', { prompt_tokens: 0, completion_tokens: 5 }, counted],
    ['is replaced by our count if it is missing', undefined, counted],
    ['is replaced by our count if a part is missing', { prompt_tokens: 7 }, counted],
    ['is replaced by our count if it is text', { prompt_tokens: '7', completion_tokens: '5' }, counted],
    ['is replaced by our count if it is 1e300', { prompt_tokens: 7, completion_tokens: 1e300 }, counted],
    ['is replaced by our count if it is null', null, counted],
    ['is replaced by our count if it is negative', { prompt_tokens: 1, completion_tokens: -5 }, counted],
    ['is replaced by our count if it is a fraction', { prompt_tokens: 1.5, completion_tokens: 5 }, counted],
    ['is replaced by our count if it is 2^60', { prompt_tokens: 1, completion_tokens: 2 ** 60 }, counted],
  ])('%s: %s', async (_, usage, cost) => {
    expect(await costOf(usage)).toBe(cost);
  });

  it('may be 0 if nothing was generated', async () => {
    expect(await costOf({ prompt_tokens: 0, completion_tokens: 0 }, '')).toBe(0);
    expect(await costOf({ prompt_tokens: 7, completion_tokens: 0 }, '')).toBe(tokenPrice('completion', 7));
  });
});

/** A gateway that exposes the requests of its calls. */
const gateway: ModelGateway = {
  ...others,
  completionStream: (_, request) => ({ request, prepare: () => undefined, send: uncalled }),
};
const oneTokenEach = { count: async (text: string) => text.length / 10, decode: async () => [] };

it('an order within a budget reuses the prepared call unless the budget allows less output', async () => {
  const { orderCompletion } = inference(gateway, oneTokenEach, { now: () => 0 });
  const body = { model: 'svc-instruct', prompt: 'x'.repeat(100), max_tokens: 50, stream: true };
  const order = await orderCompletion(body as never, specifiedCompletion, async () => undefined);
  expect(order.amount).toBe(tokenPrice('completion', 150));

  const same = await order.within?.(tokenPrice('completion', 100));
  expect(same?.amount).toBe(tokenPrice('completion', 60));
  expect(same?.call).toBe(order.call);

  const less = await order.within?.(tokenPrice('completion', 40));
  expect(less?.amount).toBe(tokenPrice('completion', 40));
  expect(less?.call).toMatchObject({ request: { max_tokens: 30 } });

  expect(await order.within?.(tokenPrice('completion', 10))).toBeUndefined();
});
