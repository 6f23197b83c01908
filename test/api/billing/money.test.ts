import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { useModelServer } from '#test/models/model-server.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { chat, type Person, useTestService } from '#test/service/service.ts';

const model = useModelServer();
const service = useTestService(() => ({ modelUrl: model.url }));

const complete = (key: string, body: unknown = chat()) => service.call('POST', '/v1/chat/completions', { key, body });
const itemOf = async ({ id }: Person) => (await rowsOf('meters')).find(({ a }) => a === id);
const orderFault = (fault: string, count: number) =>
  service.post('/_local/faults', { target: 'dynamodb', fault, count });

describe('a call refused', () => {
  it.each([
    ['400', (key: string) => complete(key, { model: 'svc-1', messages: [] })],
    ['400', (key: string) => complete(key, { ...chat(), temperature: 3 })],
    ['400', (key: string) => complete(key, { ...chat(), model: 'gpt-4' })],
    ['400', (key: string) => complete(key, '{"model": "svc-1", ')],
    ['401', (key: string) => complete(mistyped(key))],
    ['403', (key: string) => complete(key, { ...chat(), model: 'svc-1-32k' })],
    ['404', (key: string) => service.call('POST', '/v1/chat/complete', { key, body: chat() })],
    ['405', (key: string) => service.call('PUT', '/v1/chat/completions', { key, body: chat() })],
    ['413', (key: string) => complete(key, chat('x'.repeat(1024 * 1024)))],
    [
      '415',
      (key: string) =>
        service.call('POST', '/v1/chat/completions', { key, body: 'hello', headers: { 'content-type': 'text/plain' } }),
    ],
  ])('with %s leaves the account unchanged, and does not invoke the model', async (status, call) => {
    const person = await service.person();
    const before = await itemOf(person);
    const response = await call(person.key);
    expect([String(response.status), response.body.error]).toEqual([status, true]);
    expect(await itemOf(person)).toEqual(before);
    expect(model.state.runs).toBe(0);
  });

  it('with 402 or 429 leaves the account unchanged, and does not invoke the model', async () => {
    const poor = await service.person({ planRank: 2, credits: 0 });
    const hasty = await service.person();
    for (let call = 0; call < 10; call++) await complete(hasty.key);
    model.reset();
    for (const [person, status] of [
      [poor, 402],
      [hasty, 429],
    ] as const) {
      const before = await itemOf(person);
      expect((await complete(person.key)).status).toBe(status);
      expect(await itemOf(person)).toEqual(before);
    }
    expect(model.state.runs).toBe(0);
  });
});

it('every read of a meter, the ledger or a stored response is strongly consistent', async () => {
  const { key } = await service.person();
  const send = vi.spyOn(DynamoDBDocumentClient.prototype, 'send');
  const idempotent = { key, body: chat(), headers: { 'idempotency-key': 'once' } };
  for (let time = 0; time < 2; time++) await service.call('POST', '/v1/chat/completions', idempotent);
  const planned = { key, body: { planId: 'dev_pass', billingCycle: 'monthly' } };
  await service.call('POST', '/api/subscription/create', planned);
  await service.call('PUT', '/api/subscription/upgrade-plan', { key, body: { newPlanId: 'smm_pass' } });
  await service.call('POST', '/api/ai/translate', {
    key,
    body: { text: 'x', sourceLanguage: 'en', targetLanguage: 'de' },
  });
  for (const path of ['/subscription', '/credits', '/credits/me', '/usage', '/services/chat/quota'])
    expect((await service.call('GET', `/api${path}`, { key })).status).toBe(200);
  const commands = send.mock.calls.map(([command]) => command);
  send.mockRestore();
  const reads = commands
    .filter((command) => command instanceof GetCommand || command instanceof QueryCommand)
    .map(({ input }) => input)
    .filter((input) => input.TableName !== tables.accounts.name && !('IndexName' in input));
  expect(reads.length).toBeGreaterThan(8);
  expect(reads.filter(({ ConsistentRead }) => ConsistentRead !== true)).toEqual([]);
});

describe('a call during a fault of DynamoDB', () => {
  it('returns 503 with Retry-After in an outage, without invoking a model', async () => {
    const { key } = await service.person();
    await service.settled();
    await orderFault('unavailable', 10_000);
    const responses = await Promise.all(Array.from({ length: 8 }, () => complete(key)));
    await orderFault('none', 1);
    expect(responses.map(({ status, body }) => `${status} ${body.message}`)).toEqual(
      Array(8).fill('503 SERVICE_UNAVAILABLE'),
    );
    expect(responses.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true);
    expect(model.state.runs).toBe(0);
    expect((await complete(key)).status).toBe(200);
  });

  it('returns an enveloped 200, 402, 429 or 503 during throttling, and is never charged twice', async () => {
    const person = await service.person({ planRank: 2, credits: 30 });
    await service.settled();
    const statuses: number[] = [];
    for (let round = 0; round < 5; round++) {
      await orderFault('throttle', 1 + (round % 5));
      const responses = await Promise.all(Array.from({ length: 5 }, () => complete(person.key)));
      expect(responses.every(({ body, status }) => body.status === status && body.error === status >= 400)).toBe(true);
      statuses.push(...responses.map(({ status }) => status));
    }
    await orderFault('none', 1);
    expect(new Set(statuses).difference(new Set([200, 402, 429, 503]))).toEqual(new Set());
    await service.post('/_local/clock', { advance: 'PT10M' });
    const meter = await services().metering().current(person.id, services().clock.now());
    expect(meter.holds.size).toBe(0);
    expect(meter.spendable).toBeGreaterThanOrEqual(0);
    expect(30 - meter.spendable / 1e6).toBeLessThanOrEqual(model.state.runs);
    expect((await complete(person.key)).status).toBe(meter.spendable > 0 ? 200 : 402);
  });
});

it('the ledger adds up to every displayed balance once all writes have finished', async () => {
  const person = await service.person();
  await service.call('POST', '/api/subscription/create', {
    key: person.key,
    body: { planId: 'dev_pass', billingCycle: 'monthly' },
  });
  for (let call = 0; call < 7; call++) await complete(person.key);
  await service.post('/_local/clock', { advance: 'P40D' });
  await service.settled();
  const { data } = (await service.call('GET', '/api/credits?limit=200', { key: person.key })).body;
  const sum = data.entries.reduce((total: number, { credits }: { credits: number }) => total + credits, 0);
  expect([data.balance, data.held]).toEqual([sum, 0]);
  expect(data.entries[0].balance).toBe(sum);
  expect(data.lots.reduce((total: number, { remaining }: { remaining: number }) => total + remaining, 0)).toBe(sum);
  const sourcesOf = (type: string): unknown[] =>
    data.entries
      .filter((entry: { type: string }) => entry.type === type)
      .map(({ source }: { source: unknown }) => source);
  expect(sourcesOf('grant')).toEqual(['plan', 'plan', 'free']);
  expect(new Set([...sourcesOf('charge'), ...sourcesOf('expiry')])).toEqual(new Set([null]));
});
