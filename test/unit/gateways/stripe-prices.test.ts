import { expect, it } from 'vitest';
import { stripePrices } from '#gateways/stripe/plans.ts';

it('each title has its own product, which is created once', async () => {
  const created: { id: string; name: string }[] = [];
  const products = { create: async (product: { id: string; name: string }) => void created.push(product) };
  const client = { call: async (work: (stripe: unknown) => unknown) => work({ products }) };
  const { monthly } = stripePrices(client as never);
  const titles = ['专业版', '企业版', 'Pro!', 'Pro?', 'Pro!'];

  const prices = [];
  for (const title of titles) prices.push(await monthly(2999, title));

  expect(new Set(prices.map(({ product }) => product)).size).toBe(4);
  expect(created.map(({ name }) => name)).toEqual(titles.slice(0, 4));
});
