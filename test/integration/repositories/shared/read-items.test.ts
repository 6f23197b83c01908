import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { readItems } from '#repositories/shared/read-items.ts';
import { explainOutage } from '#runtime/outage.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { times } from '#test/many.ts';

type Keys = Record<string, unknown>[];

const table = tables.agents.name;
const keys: Keys = times(30, (index) => ({ pk: 'some', sk: `item#${index}` }));

const database = useTestDatabase();
beforeAll(async () => {
  for (const key of keys) await database.client.send(new PutCommand({ TableName: table, Item: { ...key, n: 1 } }));
});

/** Omits the keys that `unread` returns, like a busy partition, and records the time of each request. */
function leaveOut(unread: (requested: Keys, request: number) => Keys) {
  const requests: { at: number; count: number }[] = [];
  const { middlewareStack } = database.client;
  const name = 'leaveOut';
  middlewareStack.add(
    (next) => async (args) => {
      const input = args.input as { RequestItems: Record<string, { Keys: Keys }> };
      const requested = input.RequestItems[table]!.Keys;
      requests.push({ at: performance.now(), count: requested.length });
      const left = unread(requested, requests.length);
      const Keys = requested.filter((key) => !left.includes(key));
      if (Keys.length === 0) {
        const output = { $metadata: {}, Responses: {}, UnprocessedKeys: { [table]: { Keys: left } } };
        return { output, response: undefined };
      }
      const result = await next({
        ...args,
        input: { RequestItems: { [table]: { ...input.RequestItems[table], Keys } } },
      });
      if (left.length > 0) Object.assign(result.output as object, { UnprocessedKeys: { [table]: { Keys: left } } });
      return result;
    },
    // Before the document client converts keys to DynamoDB's format, and after it has converted items back.
    { step: 'initialize', priority: 'high', name },
  );
  return { requests, end: () => middlewareStack.remove(name) };
}

describe('readItems', () => {
  it('retries omitted keys with growing pauses', async () => {
    const { requests, end } = leaveOut((requested, request) => (request <= 5 ? requested : []));
    const items = await readItems(database.client, table, keys, ['sk']).finally(end);
    expect(items).toHaveLength(keys.length);
    expect(new Set(items.map(({ sk }) => sk))).toEqual(new Set(keys.map(({ sk }) => sk)));
    const pauses = requests.slice(1).map(({ at }, index) => at - requests[index]!.at);
    expect(pauses[0]).toBeGreaterThanOrEqual(45);
    expect(pauses[4]).toBeGreaterThan(2 * pauses[0]!);
  });

  it('continues as long as each read returns some of the keys', async () => {
    const { requests, end } = leaveOut((requested) => requested.slice(3));
    const items = await readItems(database.client, table, keys).finally(end);
    expect(items).toHaveLength(keys.length);
    expect(requests.map(({ count }) => count)).toEqual([30, 27, 24, 21, 18, 15, 12, 9, 6, 3]);
  });

  it('throws an error that becomes a 503 if keys remain unread', async () => {
    const { requests, end } = leaveOut((requested, request) => requested.slice(request === 1 ? 10 : 0));
    const error = await readItems(database.client, table, keys)
      .catch((failure: unknown) => failure)
      .finally(end);
    expect(explainOutage(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    expect(requests.length).toBe(7);
  });
});
