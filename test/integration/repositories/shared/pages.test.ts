import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { newestFirst } from '#repositories/shared/pages.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { times } from '#test/many.ts';

const table = tables.agents.name;
const mebibyte = 1024 * 1024;

const database = useTestDatabase();

const schema = v.object({ sk: v.string(), text: v.optional(v.string()) });
const nameAt = (index: number): string => `item#${String(index).padStart(3, '0')}`;

async function fill(pk: string, count: number, about: (index: number) => object) {
  const puts = times(count, (index) => ({ pk, sk: nameAt(index), ...about(index) }));
  await Promise.all(puts.map((Item) => database.client.send(new PutCommand({ TableName: table, Item }))));
}

/** All pages in order. */
async function pages(pk: string, limit: number, now?: number) {
  const list = { pk, prefix: 'item#', limit, schema, ...(now !== undefined && { now }) };
  const found: { sk: string; text?: string | undefined }[][] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await newestFirst(database.client, table, { ...list, cursor });
    found.push([...items]);
    cursor = next ?? undefined;
  } while (cursor !== undefined && found.length < 100);
  return found;
}

const names = (count: number): string[] => times(count, nameAt).toReversed();

it('a page ends at 2 MB, and the pages together contain every item once', async () => {
  await fill('large', 40, () => ({ text: 'ä'.repeat(100_000) }));
  const found = await pages('large', 200);
  expect(found.flat().map(({ sk }) => sk)).toEqual(names(40));
  for (const page of found) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(2 * mebibyte);
  expect(found.length).toBe(4);
});

it('a page has at least one item, whatever its size', async () => {
  await fill('quoted', 3, () => ({ text: '\u0001'.repeat(390_000) }));
  expect((await pages('quoted', 200)).map((page) => page.length)).toEqual([1, 1, 1]);
});

it('pages of any length contain the next items, however many expired ones precede them', async () => {
  await fill('expired', 150, (index) => ({ expiresAt: index % 60 === 0 ? 10 : 1 }));
  for (const limit of [1, 2, 3, 50]) {
    const found = await pages('expired', limit, 5);
    expect([limit, found.flat().map(({ sk }) => sk)]).toEqual([limit, [120, 60, 0].map(nameAt)]);
  }
});
