import { randomBytes } from 'node:crypto';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { ResponseRequest } from '#contract/inference/responses.ts';
import { tables } from '#contract/platform/resources.ts';
import { described } from '#domain/inference/responses-format.ts';
import { requestItems } from '#domain/inference/responses.ts';
import type { StoredResponse } from '#domain/inference/stored-responses.ts';
import { purgeResponses, responseStore } from '#repositories/responses/responses.ts';
import { useTestDatabase } from '#test/database/database.ts';

const database = useTestDatabase();
const table = tables.responses.name;
const now = 1_800_000_000_000;
const store = () => responseStore(database.client, table);

function response(accountId: number, name: string, text: string): StoredResponse {
  const request = v.parse(ResponseRequest, { model: 'svc-1', input: text });
  return {
    accountId,
    response: described(request, { id: `chatcmpl-${name}`, created: 1, model: 'svc-1' }),
    input: requestItems(text, name).filter((item) => item.type !== 'item_reference'),
    chain: ['resp_a'],
    expiresAt: now + 1000,
  };
}

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { Items = [] } of paginateScan({ client: database.client }, { TableName: table }))
    found.push(...Items.map(({ pk, sk }) => `${pk} ${sk}`));
  return found;
}

/** Text that compresses to about three quarters. */
const random = (bytes: number) => randomBytes(bytes).toString('base64');

it('a response of any size is stored in parts, and returned unchanged until it expires', async () => {
  for (const [name, size] of [
    ['small', 10],
    ['large', 400_000],
    ['huge', 1_500_000],
  ] as const) {
    const stored = response(1, name, random(size));
    await store().put(stored);
    expect(await store().find(1, `resp_${name}`, now)).toEqual(stored);
    expect(await store().find(1, `resp_${name}`, now + 1000)).toBeUndefined();
    expect(await store().find(2, `resp_${name}`, now)).toBeUndefined();
  }
  const found = await store().findAll(1, ['resp_huge', 'resp_none', 'resp_small'], now);
  expect(found.map(({ response: { id } }) => id).toSorted()).toEqual(['resp_huge', 'resp_small']);
  const before = (await keys()).length;
  expect(before).toBeGreaterThan(6);
  expect(await store().remove(1, 'resp_huge', now)).toBe(true);
  expect(await store().remove(1, 'resp_huge', now)).toBe(false);
  expect(await store().find(1, 'resp_huge', now)).toBeUndefined();
  expect((await keys()).length).toBeLessThan(before - 3);
});

it.each([
  ['random', random(4_000_000)],
  ['repetitive', 'a'.repeat(5_000_000)],
])('a response of %s text that is too large is not stored', async (_, text) => {
  const stored = response(3, 'vast', text);
  await expect(store().put(stored)).rejects.toThrow(/too large/);
  expect(await store().find(3, 'resp_vast', now)).toBeUndefined();
});

it('a purge deletes the responses of one account', async () => {
  await store().put(response(4, 'one', 'Hi'));
  await store().put(response(5, 'one', random(400_000)));
  await purgeResponses(database.client, table, 5);
  expect(await store().find(4, 'resp_one', now)).toBeDefined();
  expect(await store().find(5, 'resp_one', now)).toBeUndefined();
  expect((await keys()).filter((key) => key.startsWith('account#5 '))).toEqual([]);
});
