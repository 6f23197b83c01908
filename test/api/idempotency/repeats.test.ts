import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { issueCredential } from '#domain/shared/credential.ts';
import { services } from '#runtime/services/container.ts';
import { useModelServer } from '#test/models/model-server.ts';
import { mailsSent } from '#test/requests/accounts/inbox.ts';
import { apiRequest } from '#test/service/api-request.ts';
import { type ApiResponse, chat, code, type Person, useTestService } from '#test/service/service.ts';

const path = '/v1/chat/completions';
const operations: string[] = [];
const isReplay = ({ headers }: ApiResponse) => headers.get('idempotent-replayed') === 'true';
const requestId = ({ headers }: ApiResponse) => headers.get('x-request-id');
const meterOf = async ({ id }: Person) => (await services().metering().find(id))!;

const model = useModelServer();
const service = useTestService(() => ({
  modelUrl: model.url,
  onDynamoRequest: (operation) => void operations.push(operation),
}));

const send = (key: string, idempotencyKey: string, body: unknown = chat()): Promise<ApiResponse> =>
  service.call('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } });
/** Waits for the email about the key. */
async function customer(): Promise<Person> {
  const person = await service.person({ planRank: 2, credits: 10 });
  await mailsSent(service);
  return person;
}

/** Number of model runs, and charged credits of the customer's ten. */
const spent = async (person: Person) => [model.state.runs, 10 - (await meterOf(person)).spendable / 1_000_000];

describe('a request with an Idempotency-Key', () => {
  it('returns the same response again, marked as replayed and charged once', async () => {
    const person = await customer();
    const first = await send(person.key, 'order-1');
    const second = await send(person.key, 'order-1');
    expect([code(first), isReplay(first)]).toEqual(['200 SUCCESS', false]);
    expect(second.body).toEqual(first.body);
    expect(Object.fromEntries(second.headers)).toMatchObject({
      'idempotent-replayed': 'true',
      'x-original-request-id': requestId(first),
      'x-credits-charged': '0',
    });
    expect(requestId(second)).not.toBe(requestId(first));
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('matches a repeat with reordered fields, explicit defaults and unknown fields', async () => {
    const person = await customer();
    const functions = [{ name: 'f', parameters: { type: 'object', properties: { a: {}, b: {} } } }];
    const turned = [{ parameters: { properties: { b: {}, a: {} }, type: 'object' }, name: 'f' }];
    const first = await send(person.key, 'k', { ...chat(), functions });
    const second = await send(person.key, 'k', { functions: turned, temperature: 1, unknown: true, ...chat() });
    expect([code(first), isReplay(second)]).toEqual(['200 SUCCESS', true]);
    const swapped = [{ ...functions[0], parameters: { type: 'object', properties: { a: {}, c: {} } } }];
    expect(code(await send(person.key, 'k', { ...chat(), functions: swapped }))).toBe('422 IDEMPOTENCY_KEY_REUSED');
  });

  it('returns 422 for a key used with another body, and neither runs nor counts the request', async () => {
    const person = await customer();
    await send(person.key, 'k');
    const before = await meterOf(person);
    const other = await send(person.key, 'k', chat('Something else'));
    expect(code(other)).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect(other.body.detail).toMatch(/Idempotency-Key/);
    expect([model.state.runs, await meterOf(person)]).toEqual([1, before]);
  });

  it('returns 409 while the first request runs', async () => {
    const person = await customer();
    model.state.delayMs = 30_000;
    const first = send(person.key, 'k');
    await expect.poll(() => model.state.runs).toBe(1);
    const second = await send(person.key, 'k');
    expect(code(second)).toBe('409 REQUEST_IN_PROGRESS');
    // One second, or more after a slow first request.
    const seconds = Number(second.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(Math.ceil(Number(second.headers.get('retry-after-ms')) / 1000)).toBe(seconds);
    expect(code(await send(person.key, 'k', chat('Other')))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    model.state.delayMs = 0;
    const { body } = await first;
    expect((await send(person.key, 'k')).body).toEqual(body);
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('runs once for 20 concurrent requests', { repeats: 1 }, async () => {
    const person = await service.person({ planRank: 4, credits: 10 });
    model.state.delayMs = 20;
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(person.key, 'k')));
    const firsts = responses.filter((response) => response.status === 200 && !isReplay(response));
    expect(firsts).toHaveLength(1);
    for (const response of responses) {
      if (response.status === 200) expect(response.body).toEqual(firsts[0]?.body);
      else expect(code(response)).toBe('409 REQUEST_IN_PROGRESS');
    }
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('is separate for each account, and shared by all keys of an account', async () => {
    const [person, stranger] = [await customer(), await customer()];
    const first = await send(person.key, 'shared');
    const theirs = await send(stranger.key, 'shared', chat('Mine'));
    expect([code(theirs), isReplay(theirs)]).toEqual(['200 SUCCESS', false]);
    const made = await service.call('POST', '/api/keys', { cookie: person.cookie, body: { name: 'another' } });
    const again = await send(made.body.data.key, 'shared');
    expect([isReplay(again), again.body]).toEqual([true, first.body]);
    expect([await spent(person), await spent(stranger)]).toEqual([
      [2, 1],
      [2, 1],
    ]);
  });

  it('is replayed even if the limit per minute is reached', async () => {
    const person = await service.person({ credits: 10 });
    const responses = [];
    for (let call = 0; call < 10; call++) responses.push(await send(person.key, `k${call}`));
    expect(code(await send(person.key, 'k10'))).toBe('429 RATE_LIMIT_EXCEEDED');
    expect((await send(person.key, 'k3')).body).toEqual(responses[3]?.body);
    expect(model.state.runs).toBe(10);
  });

  it('is replayed even if the credits are used up', async () => {
    const person = await service.person({ planRank: 2, credits: 1 });
    const first = await send(person.key, 'k');
    expect(code(await send(person.key, 'another'))).toBe('402 INSUFFICIENT_CREDITS');
    expect((await send(person.key, 'k')).body).toEqual(first.body);
  });
});

describe('the DynamoDB calls of a request', () => {
  /** Item operations caused by a request, including those of the ledger's projection. */
  async function operationsOf(act: () => Promise<ApiResponse>): Promise<Record<string, number>> {
    await service.settled();
    operations.length = 0;
    await act();
    await service.settled();
    const items = operations.filter((operation) => operation.endsWith('Item')).toSorted();
    return Object.fromEntries(
      Map.groupBy(items, (name) => name)
        .entries()
        .map(([name, all]) => [name, all.length]),
    );
  }

  it('are one read and two writes for an Idempotency-Key, and one read and one write for its repeat', async () => {
    const person = await customer();
    const call = () => service.call('POST', path, { key: person.key, body: chat() });
    // Includes the time of the key's last use, which is stored once a minute.
    await call();
    const plain = await operationsOf(call);
    const first = await operationsOf(() => send(person.key, 'k'));
    expect(first).toEqual({ ...plain, GetItem: 1, PutItem: (plain['PutItem'] ?? 0) + 2 });
    expect(await operationsOf(() => send(person.key, 'k'))).toEqual({ PutItem: 1, GetItem: 1 });
  });

  it('do not increase without the header', async () => {
    const person = await customer();
    await service.settled();
    operations.length = 0;
    await service.call('POST', path, { key: person.key, body: chat() });
    const items = operations.filter((operation) => operation.endsWith('Item'));
    expect(items.slice(0, 2)).toEqual(['UpdateItem', 'UpdateItem']);
  });
});

describe('the idempotency store', () => {
  it('stores a 400 that the model caused', async () => {
    const person = await customer();
    model.state.refuses = true;
    const first = await send(person.key, 'k');
    model.state.refuses = false;
    const second = await send(person.key, 'k');
    expect([code(first), code(second)]).toEqual(['400 INVALID_FORMAT', '400 INVALID_FORMAT']);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('x-original-request-id')).toBe(requestId(first));
    expect([isReplay(second), await spent(person)]).toEqual([true, [1, 0]]);
  });

  it('does not store a 5xx: the repeat runs, and is charged once', async () => {
    const person = await customer();
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error' });
    const responses = [await send(person.key, 'k'), await send(person.key, 'k'), await send(person.key, 'k')];
    expect(responses.map(code)).toEqual(['502 MODEL_ERROR', '200 SUCCESS', '200 SUCCESS']);
    expect(responses.map(isReplay)).toEqual([false, false, true]);
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('does not store a 402 or 403: the repeat runs on a larger plan', async () => {
    const person = await service.person({ credits: 0 });
    const large = { ...chat(), model: 'svc-1-32k' };
    expect(code(await send(person.key, 'k'))).toBe('402 INSUFFICIENT_CREDITS');
    expect(code(await send(person.key, 'large', large))).toBe('403 INSUFFICIENT_PERMISSIONS');
    await services().subscriptions().assign(person.id, '4');
    expect(code(await send(person.key, 'k'))).toBe('200 SUCCESS');
    expect(code(await send(person.key, 'large', large))).toBe('200 SUCCESS');
  });

  it('does not store an invalid request: the corrected request runs with the same key', async () => {
    const person = await customer();
    expect(code(await send(person.key, 'k', { ...chat(), temperature: 3 }))).toBe('400 INVALID_FORMAT');
    expect(code(await send(person.key, 'k'))).toBe('200 SUCCESS');
  });

  it('does not store a response over 256 KB: the repeat is refused with the id of the original request', async () => {
    const person = await customer();
    model.state.content = 'x'.repeat(256 * 1024);
    const first = await send(person.key, 'k');
    await expectNoReplay(await send(person.key, 'k'), requestId(first));
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('does not store a stream, whether running or completed', async () => {
    const person = await customer();
    model.state.delayMs = 500;
    const body = { ...chat(), stream: true };
    const { headers } = apiRequest('POST', { key: person.key, body, headers: { 'idempotency-key': 'k' } });
    const first = await service.open(path, person.key, body, { headers: headers! });
    const original = first.headers.get('x-request-id');
    await expectNoReplay(await send(person.key, 'k', body), original);
    expect(await first.text()).toContain('STREAM_COMPLETE');
    await expectNoReplay(await send(person.key, 'k', body), original);
    expect(await spent(person)).toEqual([1, 1]);
  });

  async function expectNoReplay(response: ApiResponse, original: string | null): Promise<void> {
    expect(code(response)).toBe('409 REPLAY_UNAVAILABLE');
    expect(response.body.detail).toContain(original);
    expect(response.headers.get('x-original-request-id')).toBe(original);
  }

  it('stores a response just below 256 KB', async () => {
    const person = await customer();
    model.state.content = 'é'.repeat(127 * 1024);
    const first = await send(person.key, 'k');
    expect((await send(person.key, 'k')).body).toEqual(first.body);
  });
});

describe('authentication before idempotency', () => {
  it('hides stored responses from a foreign key, and does not block it', async () => {
    const person = await customer();
    const forged = issueCredential('key', person.id, { bytes: (size) => randomBytes(size) }).text;
    const first = await send(person.key, 'k');
    for (const body of [chat(), chat('Other')]) expect(code(await send(forged, 'k', body))).toBe('401 INVALID_API_KEY');
    for (const key of ['fresh', '', 'a, b']) expect(code(await send(forged, key))).toBe('401 INVALID_API_KEY');
    expect((await send(person.key, 'k')).body).toEqual(first.body);
    expect(code(await send(person.key, 'fresh', chat('Other')))).toBe('200 SUCCESS');
  });

  it('returns no stored response to a revoked key', async () => {
    const person = await customer();
    await send(person.key, 'k');
    await service.call('DELETE', `/api/keys/${person.keyId}`, { cookie: person.cookie });
    expect(code(await send(person.key, 'k'))).toBe('401 INVALID_API_KEY');
  });
});

describe('authorization before idempotency', () => {
  it.each([{ models: ['svc-code'] }, { services: ['embeddings'] }])(
    "hides other keys' responses and their existence from a key limited to %j",
    async (limits) => {
      const { key, cookie } = await customer();
      await send(key, 'k');
      const body = { name: 'limited', ...limits };
      const limited = (await service.call('POST', '/api/keys', { cookie, body })).body.data.key;
      for (const text of ['Hello', 'Other']) {
        const refused = await send(limited, 'k', chat(text));
        expect([code(refused), isReplay(refused)]).toEqual(['403 INSUFFICIENT_PERMISSIONS', false]);
      }
      expect(isReplay(await send(key, 'k'))).toBe(true);
    },
  );

  it('returns 403 for another body with a model outside the plan', async () => {
    const person = await customer();
    await send(person.key, 'k');
    const refused = await send(person.key, 'k', { ...chat(), model: 'svc-1-32k' });
    expect([code(refused), model.state.runs]).toEqual(['403 INSUFFICIENT_PERMISSIONS', 1]);
    expect(isReplay(await send(person.key, 'k'))).toBe(true);
  });

  it('replays a charged response even if the plan has lost its model', async () => {
    const person = await service.person({ planRank: 4, credits: 10 });
    const body = { ...chat(), model: 'svc-1-32k' };
    const first = await send(person.key, 'k', body);
    await services().subscriptions().assign(person.id, '2');
    expect(code(await send(person.key, 'fresh', body))).toBe('403 INSUFFICIENT_PERMISSIONS');
    expect((await send(person.key, 'k', body)).body).toEqual(first.body);
  });
});

it('an invalid Idempotency-Key returns 400, and is ignored on routes without idempotency', async () => {
  const { key } = await customer();
  const headers = { 'idempotency-key': 'x'.repeat(256) };
  const refused = await send(key, headers['idempotency-key']);
  expect([code(refused), model.state.runs]).toEqual(['400 INVALID_FORMAT', 0]);
  expect(refused.body.detail).toMatch(/^The Idempotency-Key header /);
  expect(code(await service.call('GET', '/v1/models', { key, headers }))).toBe('200 SUCCESS');
});
