import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { inChoices } from '#domain/inference/choices.ts';
import { specifiedCompletion } from '#domain/inference/completion.ts';
import { inference } from '#domain/inference/inference.ts';
import type { ModelGateway } from '#domain/inference/order.ts';
import { tokenPrice } from '#test/meter/token-price.ts';

const uncalled = () => {
  throw new Error('this model is not called here');
};
const prepared: object[] = [];
const gateway: ModelGateway = {
  chat: uncalled,
  chatStream: uncalled,
  embed: uncalled,
  completion: uncalled,
  completionStream: (_, request) => ({ prepare: () => void prepared.push(request), send: uncalled }),
};
const oneTokenEach = { count: async (text: string) => text.length / 10, decode: async () => [] };
const calls = inChoices(inference(gateway, oneTokenEach, { now: () => 0 }), gateway);

/** 10 tokens, of which the order holds at most 100 before it counts them. */
const orderOf = (n: number) => {
  const body = { model: 'svc-instruct', prompt: 'x'.repeat(100), max_tokens: 50, stream: true, seed: 5 };
  return calls.orderCompletion(body as never, () => specifiedCompletion, { n, prove: async () => undefined });
};
const anyCount = fc.integer({ min: 1, max: 8 });

it('an order of n choices holds n times the amount, and prepares n calls with consecutive seeds', async () => {
  await fc.assert(
    fc.asyncProperty(anyCount, async (n) => {
      const order = await orderOf(n);
      expect(order.amount).toBe(n * tokenPrice('completion', 150));
      prepared.length = 0;
      order.call?.prepare();
      expect(prepared).toMatchObject(Array.from({ length: n }, (_, index) => ({ seed: 5 + index, max_tokens: 50 })));
    }),
  );
});

it('an order within a budget reduces each choice to the same output, and never exceeds the budget', async () => {
  await fc.assert(
    fc.asyncProperty(anyCount, fc.integer({ min: 0, max: 8 * 70 }), async (n, tokens) => {
      const budget = tokenPrice('completion', tokens);
      const order = await orderOf(n);
      const each = Math.floor(tokens / n) - 10;
      const reduced = (await order.within?.(budget)) as typeof order | undefined;
      expect(await order.affordableOutput?.(budget)).toBe(Math.max(0, each));
      const output = Math.min(50, each);
      const isFitting = each > 0;
      expect(reduced?.amount).toBe(isFitting ? n * tokenPrice('completion', 10 + output) : undefined);
      expect(reduced?.amount ?? 0).toBeLessThanOrEqual(budget);
      const outputs = reduced?.choices.map(({ request }) => request.max_tokens);
      expect(outputs).toEqual(isFitting ? Array(n).fill(output) : undefined);
    }),
  );
});
