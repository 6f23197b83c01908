import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { walk } from '#bench/cost/cost.ts';
import { type TableId, tables } from '#contract/platform/resources.ts';
import { type CallerRequest, type CallerResponse, type SendRequest, walkAsNewUser } from '#domain/canary/canary.ts';
import { serviceClient } from '#gateways/service-client.ts';
import { userKey } from '#repositories/accounts/account-items.ts';
import { canaryStore } from '#repositories/canary/canary.ts';
import { ambient } from '#runtime/process.ts';
import { rowsOf, tableName } from '#test/database/rows.ts';
import { seed, someOf } from '#test/many.ts';
import { useTestService } from '#test/service/service.ts';

const service = useTestService();
let client: DynamoDBDocumentClient;
beforeAll(() => {
  client = DynamoDBDocumentClient.from(new DynamoDBClient());
});
afterAll(() => client.destroy());

type Exchange = readonly [CallerRequest, CallerResponse];
/** Replaces a response of the service. `before` are the earlier exchanges of the walk. */
type Tamper = (request: CallerRequest, response: CallerResponse, before: readonly Exchange[]) => CallerResponse;

const untouched: Tamper = (_, response) => response;

/** One walk with its exchanges. */
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

console.log(`walks of seed ${seed}`);

const isPath = ({ path }: CallerRequest, start: string) => path.startsWith(start);
const isStream = ({ body }: CallerRequest) => (body as { stream?: boolean } | undefined)?.stream === true;
const isChat = (request: CallerRequest) => isPath(request, '/v1/chat') && !isStream(request);
const isAfter = (before: readonly Exchange[], method: string, path: string) =>
  before.some(([request]) => request.method === method && isPath(request, path));

/** Changes the responses to which a condition applies. */
const where =
  (
    applies: (request: CallerRequest, before: readonly Exchange[]) => boolean,
    change: (response: CallerResponse) => CallerResponse,
  ): Tamper =>
  (request, response, before) =>
    applies(request, before) ? change(response) : response;
const body = (change: (body: any) => unknown) => (response: CallerResponse) => ({
  ...response,
  text: JSON.stringify(change(JSON.parse(response.text))),
});
const succeeding = (response: CallerResponse) => ({ ...response, status: 200 });

const tampers: [string, step: string, Tamper][] = [
  [
    'an envelope has a fifth field',
    'sign in',
    where(
      (request) => isPath(request, '/api/auth/login'),
      body((envelope) => ({ ...envelope, more: 1 })),
    ),
  ],
  [
    'a response lacks a field',
    'create a key',
    where(
      (request) => isPath(request, '/api/keys') && request.method === 'POST',
      body((envelope) => ({ ...envelope, data: { ...envelope.data, name: undefined } })),
    ),
  ],
  [
    'a stream has no end',
    'stream a chat',
    where(isStream, (response) => ({
      ...response,
      text: response.text.replace(/data: [^\n]*STREAM_COMPLETE.*\n\n/, ''),
    })),
  ],
  [
    'a chat is charged twice its price',
    'be charged',
    where(isChat, (response) => ({
      ...response,
      headers: new Map([...response.headers, ['x-credits-charged', '2']]),
    })),
  ],
  [
    'the balance is one credit too low',
    'be charged',
    where(
      (request, before) => isPath(request, '/api/credits') && isAfter(before, 'POST', '/v1/chat'),
      body((envelope) => ({ ...envelope, data: { ...envelope.data, balance: envelope.data.balance - 1 } })),
    ),
  ],
  [
    'a revoked key still works',
    'revoke the key',
    where((request, before) => isPath(request, '/v1/chat') && isAfter(before, 'DELETE', '/api/keys'), succeeding),
  ],
  [
    'a session outlives its account',
    'delete the account',
    where((request) => isPath(request, '/api/auth/me'), succeeding),
  ],
];

describe('a walk of the canary', () => {
  test('succeeds with at most the number of requests that its cost assumes', async () => {
    const { failure, exchanges } = await walked();
    expect(failure).toBeUndefined();
    const polls = exchanges.filter(([{ path }]) => path === '/api/credits').length;
    expect(exchanges.length - polls + 3).toBeLessThanOrEqual(walk.requests);
  });

  // A walk takes a second. At full length, all.
  test.each(someOf(tampers, 3, seed))('fails if %s, and still deletes its account', async (_, step, tamper) => {
    const result = await walked(tamper);
    expect(result.step).toBe(step);
    expect(await accountRow(result.id)).toMatchObject({ deletedAt: expect.any(Number) });
  });

  test('leaves only ledger rows once everything else has expired', async () => {
    const result = await walked();
    expect(await accountRow(result.id)).toMatchObject({ deletedAt: expect.any(Number) });
    await service.settled();
    await service.post('/_local/clock', { advance: 'P1D' });
    expect(await accountRow(result.id)).toBeUndefined();
    await service.post('/_local/clock', { advance: 'P40D' });
    expect(await tablesNaming(result)).toEqual(['ledger']);
  });
});
