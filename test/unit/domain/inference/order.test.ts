import { expect, test } from 'vitest';
import { specifiedCompletion } from '#domain/inference/completion.ts';
import { inference } from '#domain/inference/inference.ts';
import type { ModelGateway } from '#domain/inference/model-gateway.ts';
import { tokenPrice } from '#domain/meter/pricing.ts';

const uncalled = () => {
  throw new Error('this model is not called here');
};
/** A gateway whose calls show what they would send. */
const gateway: ModelGateway = {
  chat: uncalled,
  chatStream: uncalled,
  completion: uncalled,
  completionStream: (_, request) => ({ request, prepare: () => undefined, send: uncalled }),
  embed: uncalled,
};
const oneTokenEach = { count: async (text: string) => text.length / 10 };

test('an order within a budget keeps the call that was prepared, unless less output fits', async () => {
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
