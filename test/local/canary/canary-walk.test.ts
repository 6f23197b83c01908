import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TableId, tables } from '#contract/platform/resources.ts';
import { type CallerRequest, type CallerResponse, type SendRequest, walkAsNewUser } from '#domain/canary/canary.ts';
import { serviceClient } from '#gateways/service-client.ts';
import { walk } from '#lib/cost/cost.ts';
import { userKey } from '#repositories/accounts/account-items.ts';
import { canaryStore } from '#repositories/canary/canary.ts';
import { ambient } from '#runtime/process.ts';
import { rowsOf, tableName } from '#test/database/rows.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let client: DynamoDBDocumentClient;
beforeAll(async () => {
  service = await startTestService();
  client = DynamoDBDocumentClient.from(new DynamoDBClient());
});
afterAll(async () => {
  client.destroy();
  await service.close();
});

type Exchange = readonly [CallerRequest, CallerResponse];
/** Gives a response in place of the service's own; `before` are those that came earlier in the walk. */
type Tamper = (request: CallerRequest, response: CallerResponse, before: readonly Exchange[]) => CallerResponse;

const untouched: Tamper = (_, response) => response;

/** One walk, with what was sent and came. */
async function walked(tamper: Tamper = untouched) {
  const exchanges: Exchange[] = [];
  const senderFor = (withinMs: number): SendRequest => {
    const send = serviceClient(service.origin)(withinMs);
    return async (request) => {
      const response = tamper(request, await send(request), exchanges);
      exchanges.push([request, response]);
      return response;
    };
  };
  const failure = await walkAsNewUser({
    senderFor,
    store: canaryStore(client, tableName('accounts')),
    clock: ambient.clock,
    random: ambient.random,
    pause: (ms) => sleep(ms / 10),
    model: 'svc-1',
    publicOrigin: service.origin,
  }).then(
    () => undefined,
    (error: { step?: string }) => error,
  );
  const [request, response] = exchanges[0]!;
  const { email } = request.body as { email: string };
  return { step: failure?.step, failure, exchanges, id: JSON.parse(response.text).data.id as number, email };
}

const accountRow = async (id: number) =>
  (await client.send(new GetCommand({ TableName: tableName('accounts'), Key: userKey(id) }))).Item;

/** The tables with rows that name the account or its address. */
async function tablesNaming({ id, email }: { id: number; email: string }): Promise<string[]> {
  const ids = Object.keys(tables).filter((table): table is TableId => table in tables);
  const rows = await Promise.all(ids.map(async (table) => ({ table, text: JSON.stringify(await rowsOf(table)) })));
  return rows.filter(({ text }) => text.includes(String(id)) || text.includes(email)).map(({ table }) => table);
}

const isPath = ({ path }: CallerRequest, start: string) => path.startsWith(start);
const isStream = ({ body }: CallerRequest) => (body as { stream?: boolean } | undefined)?.stream === true;
const has = (before: readonly Exchange[], method: string, path: string) =>
  before.some(([request]) => request.method === method && isPath(request, path));
const changed = (response: CallerResponse, change: (body: any) => unknown) => ({
  ...response,
  text: JSON.stringify(change(JSON.parse(response.text))),
});
const succeeding = (response: CallerResponse) => ({ ...response, status: 200 });

describe('a walk of the canary', () => {
  test('succeeds, with as many requests as its cost names at most', async () => {
    const { failure, exchanges } = await walked();
    expect(failure).toBeUndefined();
    const polls = exchanges.filter(([{ path }]) => path === '/api/credits').length;
    expect(exchanges.length - polls + 3).toBeLessThanOrEqual(walk.requests);
  });

  test.each<[string, string, Tamper]>([
    [
      'an envelope has a fifth field',
      'sign in',
      (request, response) =>
        isPath(request, '/api/auth/login') ? changed(response, (body) => ({ ...body, more: 1 })) : response,
    ],
    [
      'a field of a response is gone',
      'create a key',
      (request, response) =>
        isPath(request, '/api/keys') && request.method === 'POST'
          ? changed(response, (body) => ({ ...body, data: { ...body.data, name: undefined } }))
          : response,
    ],
    [
      'a stream has no end',
      'stream a chat',
      (request, response) =>
        isStream(request)
          ? { ...response, text: response.text.replace(/data: [^\n]*STREAM_COMPLETE.*\n\n/, '') }
          : response,
    ],
    [
      'a chat is charged twice what it costs',
      'be charged',
      (request, response) =>
        isPath(request, '/v1/chat') && !isStream(request)
          ? { ...response, headers: new Map([...response.headers, ['x-credits-charged', '2']]) }
          : response,
    ],
    [
      'the balance is less by one credit more',
      'be charged',
      (request, response, before) =>
        isPath(request, '/api/credits') && has(before, 'POST', '/v1/chat')
          ? changed(response, (body) => ({ ...body, data: { ...body.data, balance: body.data.balance - 1 } }))
          : response,
    ],
    [
      'a revoked key still works',
      'revoke the key',
      (request, response, before) =>
        isPath(request, '/v1/chat') && has(before, 'DELETE', '/api/keys') ? succeeding(response) : response,
    ],
    [
      'a session outlives its account',
      'delete the account',
      (request, response) => (isPath(request, '/api/auth/me') ? succeeding(response) : response),
    ],
  ])('fails where %s, and its account is deleted all the same', async (_, step, tamper) => {
    const result = await walked(tamper);
    expect(result.step).toBe(step);
    expect(await accountRow(result.id)).toMatchObject({ deletedAt: expect.any(Number) });
  });

  test('leaves nothing but rows of the ledger, once what expires has expired', async () => {
    const result = await walked();
    expect(await accountRow(result.id)).toMatchObject({ deletedAt: expect.any(Number) });
    await service.settled();
    await service.post('/_local/clock', { advance: 'P1D' });
    expect(await accountRow(result.id)).toBeUndefined();
    await service.post('/_local/clock', { advance: 'P40D' });
    expect(await tablesNaming(result)).toEqual(['ledger']);
  });
});
