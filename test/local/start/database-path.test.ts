import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chat, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();
/** Names of the updates that pass through a server of this process, as the proxy of the database is. */
const updates: string[] = [];
const note = (message: unknown): void => {
  const { headers } = (message as { readonly request: IncomingMessage }).request;
  const operation = String(headers['x-amz-target'] ?? '');
  if (operation.endsWith('.UpdateItem')) updates.push(operation);
};
beforeAll(() => diagnostics.subscribe('http.server.request.start', note));
afterAll(() => void diagnostics.unsubscribe('http.server.request.start', note));

let person: Person;
beforeEach(async () => {
  person = await service.person();
  await service.settled();
  updates.length = 0;
});

const ask = () => service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });

test('a call writes to the database without the proxy', async () => {
  expect((await ask()).status).toBe(200);
  expect(updates).toEqual([]);
});

test('a fault of the database reaches a call, after which calls bypass the proxy again', async () => {
  await ask();
  await service.post('/_local/faults', { target: 'dynamodb', fault: 'throttle', count: 1 });
  expect((await ask()).status).toBe(200);
  expect(updates).not.toEqual([]);
  await service.post('/_local/faults', { target: 'dynamodb', fault: 'unavailable', count: 100 });
  expect((await ask()).status).toBe(503);
  await service.post('/_local/faults', { target: 'dynamodb', fault: 'none' });
  updates.length = 0;
  expect((await ask()).status).toBe(200);
  expect(updates).toEqual([]);
});
