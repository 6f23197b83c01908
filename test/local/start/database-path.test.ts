import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chat, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();
/** Operations that pass through a server of this process, as the proxy of the database is. */
const operations: string[] = [];
const note = (message: unknown): void => {
  const { headers } = (message as { readonly request: IncomingMessage }).request;
  const operation = String(headers['x-amz-target'] ?? '').split('DynamoDB_20120810.')[1];
  // The proxy turns a batch of rows, which jobs insert, into a transaction.
  if (operation !== undefined && operation !== 'BatchExecuteStatement') operations.push(operation);
};
beforeAll(() => diagnostics.subscribe('http.server.request.start', note));
afterAll(() => void diagnostics.unsubscribe('http.server.request.start', note));

let person: Person;
beforeEach(async () => {
  person = await service.person();
  await service.settled();
  operations.length = 0;
});

const ask = () => service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });

const createKey = () => service.call('POST', '/api/keys', { cookie: person.cookie, body: { name: 'test' } });

test.each([
  ['call', 200, ask],
  ['request of a user', 201, createKey],
])('a %s reads and writes the database without the proxy, as do its jobs', async (_, status, send) => {
  expect((await send()).status).toBe(status);
  await service.settled();
  expect(operations).toEqual([]);
});

test.each([
  ['call', 200, ask],
  ['request of a user', 201, createKey],
])(
  'a fault of the database reaches a %s, after which the next one bypasses the proxy again',
  async (_, status, send) => {
    await send();
    await service.post('/_local/faults', { target: 'dynamodb', fault: 'throttle', count: 1 });
    expect((await send()).status).toBe(status);
    expect(operations).not.toEqual([]);
    await service.post('/_local/faults', { target: 'dynamodb', fault: 'unavailable', count: 100 });
    expect((await send()).status).toBe(503);
    await service.post('/_local/faults', { target: 'dynamodb', fault: 'none' });
    await service.settled();
    operations.length = 0;
    expect((await send()).status).toBe(status);
    await service.settled();
    expect(operations).toEqual([]);
  },
);
