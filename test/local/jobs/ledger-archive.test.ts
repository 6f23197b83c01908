import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { services } from '#runtime/services/container.ts';
import { dynamoClient } from '#runtime/services/dynamo-client.ts';
import { atLength, patience } from '#test/many.ts';
import { chat, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

interface Entry {
  readonly seq: number;
  readonly at: string;
}

/** Every entry of the credit history, newest first. */
async function history({ key }: Person, limit: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await service.call('GET', `/api/credits?${query}`, { key });
    expect(status).toBe(200);
    entries.push(...body.data.entries);
    cursor = body.data.nextCursor;
  }
  return entries;
}

const rowsInTable = async ({ id }: Person) => {
  const { Items = [] } = await dynamoClient().send(
    new QueryCommand({
      TableName: tables.ledger.name,
      KeyConditionExpression: 'a = :account AND begins_with(sk, :row)',
      ExpressionAttributeValues: { ':account': id, ':row': 'row#' },
    }),
  );
  return Items.length;
};

/** Moves of the clock by a month. */
const months = atLength(4, 6);

describe(`npm start, while the clock moves ${months} months`, () => {
  it(
    'moves closed months to the archive, and returns the same history, usage and audit',
    async () => {
      const person = await service.person({ planRank: 2 });
      const seen = new Map<number, Entry>();
      const note = async () => {
        await service.settled();
        for (const entry of await history(person, 50)) {
          expect(seen.get(entry.seq) ?? entry).toEqual(entry);
          seen.set(entry.seq, entry);
        }
      };
      for (let month = 0; month < months; month++) {
        await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
        await note();
        await service.post('/_local/clock', { advance: 'P1M' });
        await note();
      }
      expect(await rowsInTable(person)).toBeLessThan(10);
      expect((await readdir(join(service.folder, 'archive'))).length).toBeGreaterThan(months - 2);

      const expected = [...seen.values()].toSorted((one, other) => other.seq - one.seq);
      expect(expected.length).toBeGreaterThan(2 * months);
      for (const limit of [1, 7, 100]) expect(await history(person, limit)).toEqual(expected);
      const last = expected.at(-1)!.at.slice(0, 10);
      const { body } = await service.call(
        'GET',
        `/api/usage?from=${last}&to=${addDays(last, 365)}&group=service`,
        person,
      );
      expect(body.data.days.length).toBeGreaterThan(months - 1);
      const findings: unknown[] = [];
      const auditor = await services().auditor();
      await auditor.audit((finding) => findings.push(finding));
      await auditor.rebuild((finding) => findings.push(finding));
      expect(findings).toEqual([]);
    },
    patience,
  );
});

const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
