import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issueCredential } from '#domain/shared/credential.ts';
import { services } from '#runtime/container.ts';
import { type ModelServer, startModelServer } from '#test/model-server.ts';
import { type ApiResponse, chat, type Person, startTestService, type TestService } from '#test/service.ts';

const path = '/v1/chat/completions';
const asked: string[] = [];

let model: ModelServer;
let service: TestService;
beforeAll(async () => {
  model = await startModelServer();
  service = await startTestService({
    modelUrl: model.url,
    onDynamoRequest: (operation: string) => void asked.push(operation),
  });
});
afterAll(async () => {
  await service.close();
  model.close();
});
beforeEach(() => void model.reset());

const ask = (key: string, idempotencyKey: string, body: unknown = chat()): Promise<ApiResponse> =>
  service.call('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } });
const told = ({ status, body }: ApiResponse) => `${status} ${body.message}`;
const isReplay = ({ headers }: ApiResponse) => headers.get('idempotent-replayed') === 'true';
const requestId = ({ headers }: ApiResponse) => headers.get('x-request-id');
const customer = () => service.person({ planRank: 2, credits: 10 });
const advance = (duration: string) => service.post('/_local/clock', { advance: duration });
const meterOf = async ({ id }: Person) => (await services().metering().find(id))!;

/** How often the model ran, and how many of a customer's ten credits are gone. */
const spent = async (person: Person) => [model.state.runs, 10 - (await meterOf(person)).spendable / 1_000_000];

describe('a request with an Idempotency-Key', () => {
  it('is answered again as it was, charged once, and says so', async () => {
    const person = await customer();
    const first = await ask(person.key, 'order-1');
    const second = await ask(person.key, 'order-1');
    expect([told(first), isReplay(first)]).toEqual(['200 SUCCESS', false]);
    expect(second.body).toEqual(first.body);
    expect(Object.fromEntries(second.headers)).toMatchObject({
      'idempotent-replayed': 'true',
      'x-original-request-id': requestId(first),
      'x-credits-charged': '0',
    });
    expect(requestId(second)).not.toBe(requestId(first));
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('is the same request with its fields in another order, defaults spelled out and unknown fields', async () => {
    const person = await customer();
    const functions = [{ name: 'f', parameters: { type: 'object', properties: { a: {}, b: {} } } }];
    const turned = [{ parameters: { properties: { b: {}, a: {} }, type: 'object' }, name: 'f' }];
    const first = await ask(person.key, 'k', { ...chat(), functions });
    const second = await ask(person.key, 'k', { functions: turned, temperature: 1, unknown: true, ...chat() });
    expect([told(first), isReplay(second)]).toEqual(['200 SUCCESS', true]);
    const swapped = [{ ...functions[0], parameters: { type: 'object', properties: { a: {}, c: {} } } }];
    expect(told(await ask(person.key, 'k', { ...chat(), functions: swapped }))).toBe('422 IDEMPOTENCY_KEY_REUSED');
  });

  it('is refused with 422 when the key was used for another body, and is neither run nor counted', async () => {
    const person = await customer();
    await ask(person.key, 'k');
    const before = await meterOf(person);
    const other = await ask(person.key, 'k', chat('Something else'));
    expect(told(other)).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect(other.body.detail).toMatch(/Idempotency-Key/);
    expect([model.state.runs, await meterOf(person)]).toEqual([1, before]);
  });

  it('is refused with 409 while the first one runs', async () => {
    const person = await customer();
    model.state.delayMs = 500;
    const first = ask(person.key, 'k');
    await expect.poll(() => model.state.runs).toBe(1);
    const second = await ask(person.key, 'k');
    expect([told(second), second.headers.get('retry-after')]).toEqual(['409 REQUEST_IN_PROGRESS', '1']);
    expect(told(await ask(person.key, 'k', chat('Other')))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    const { body } = await first;
    expect((await ask(person.key, 'k')).body).toEqual(body);
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('runs once of 20 sent at the same time', { repeats: 4 }, async () => {
    const person = await service.person({ planRank: 4, credits: 10 });
    model.state.delayMs = 20;
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(person.key, 'k')));
    const firsts = answers.filter((answer) => answer.status === 200 && !isReplay(answer));
    expect(firsts).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 200) expect(answer.body).toEqual(firsts[0]?.body);
      else expect(told(answer)).toBe('409 REQUEST_IN_PROGRESS');
    }
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('is independent of the same key of another account, and shared by all keys of one', async () => {
    const [person, stranger] = [await customer(), await customer()];
    const first = await ask(person.key, 'shared');
    const theirs = await ask(stranger.key, 'shared', chat('Mine'));
    expect([told(theirs), isReplay(theirs)]).toEqual(['200 SUCCESS', false]);
    const made = await service.call('POST', '/api/keys', { cookie: person.cookie, body: { name: 'another' } });
    const again = await ask(made.body.data.key, 'shared');
    expect([isReplay(again), again.body]).toEqual([true, first.body]);
    expect([await spent(person), await spent(stranger)]).toEqual([
      [2, 1],
      [2, 1],
    ]);
  });

  it('is answered again although the minute is used up', async () => {
    const person = await service.person({ credits: 10 });
    const answers = [];
    for (let call = 0; call < 10; call++) answers.push(await ask(person.key, `k${call}`));
    expect(told(await ask(person.key, 'k10'))).toBe('429 RATE_LIMIT_EXCEEDED');
    expect((await ask(person.key, 'k3')).body).toEqual(answers[3]?.body);
    expect(model.state.runs).toBe(10);
  });

  it('is answered again although the credits are used up', async () => {
    const person = await service.person({ planRank: 2, credits: 1 });
    const first = await ask(person.key, 'k');
    expect(told(await ask(person.key, 'another'))).toBe('402 INSUFFICIENT_CREDITS');
    expect((await ask(person.key, 'k')).body).toEqual(first.body);
  });

  it('is forgotten after 24 hours of the clock, and not before', async () => {
    const person = await customer();
    await ask(person.key, 'daily');
    await advance('PT23H59M');
    expect(isReplay(await ask(person.key, 'daily'))).toBe(true);
    await advance('PT2M');
    const later = await ask(person.key, 'daily', chat('Another body'));
    expect([told(later), isReplay(later)]).toEqual(['200 SUCCESS', false]);
    expect(model.state.runs).toBe(2);
  });
});

describe('DynamoDB', () => {
  /** Operations on items that a request causes, the projection of the ledger included. */
  async function operationsOf(send: () => Promise<ApiResponse>): Promise<Record<string, number>> {
    await service.settled();
    asked.length = 0;
    await send();
    await service.settled();
    const items = asked.filter((operation) => operation.endsWith('Item')).toSorted();
    return Object.fromEntries(
      Map.groupBy(items, (name) => name)
        .entries()
        .map(([name, all]) => [name, all.length]),
    );
  }

  it('is asked for one read and one write before and one write after, for one read and one write of a repeat', async () => {
    const person = await customer();
    const plain = await operationsOf(() => service.call('POST', path, { key: person.key, body: chat() }));
    const first = await operationsOf(() => ask(person.key, 'k'));
    expect(first).toEqual({ ...plain, GetItem: 1, PutItem: (plain['PutItem'] ?? 0) + 2 });
    expect(await operationsOf(() => ask(person.key, 'k'))).toEqual({ PutItem: 1, GetItem: 1 });
  });

  it('is asked for nothing more by a request without the header', async () => {
    const person = await customer();
    await service.settled();
    asked.length = 0;
    await service.call('POST', path, { key: person.key, body: chat() });
    const items = asked.filter((operation) => operation.endsWith('Item'));
    expect(items.slice(0, 2)).toEqual(['UpdateItem', 'UpdateItem']);
  });
});

describe('what is kept', () => {
  it("is a refusal by the model, which stays the request's own fault", async () => {
    const person = await customer();
    model.state.refuses = true;
    const first = await ask(person.key, 'k');
    model.state.refuses = false;
    const second = await ask(person.key, 'k');
    expect([told(first), told(second)]).toEqual(['400 INVALID_FORMAT', '400 INVALID_FORMAT']);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('x-original-request-id')).toBe(requestId(first));
    expect([isReplay(second), await spent(person)]).toEqual([true, [1, 0]]);
  });

  it('is no 5xx: the repeat runs, and is charged once', async () => {
    const person = await customer();
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error' });
    const answers = [await ask(person.key, 'k'), await ask(person.key, 'k'), await ask(person.key, 'k')];
    expect(answers.map(told)).toEqual(['502 MODEL_ERROR', '200 SUCCESS', '200 SUCCESS']);
    expect(answers.map(isReplay)).toEqual([false, false, true]);
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('is no 402: with credits the repeat runs', async () => {
    const person = await service.person({ credits: 0 });
    expect(told(await ask(person.key, 'k'))).toBe('402 INSUFFICIENT_CREDITS');
    await services().subscriptions().assign(person.id, '2');
    expect(told(await ask(person.key, 'k'))).toBe('200 SUCCESS');
  });

  it('is no 429: a minute later the repeat runs', async () => {
    const person = await service.person();
    for (let call = 0; call < 10; call++) await ask(person.key, `k${call}`);
    expect(told(await ask(person.key, 'k'))).toBe('429 RATE_LIMIT_EXCEEDED');
    await advance('PT63S');
    expect(told(await ask(person.key, 'k'))).toBe('200 SUCCESS');
  });

  it('is no 403 by the plan: after an upgrade the repeat runs', async () => {
    const person = await service.person();
    const body = { ...chat(), model: 'svc-1-32k' };
    expect(told(await ask(person.key, 'k', body))).toBe('403 INSUFFICIENT_PERMISSIONS');
    await services().subscriptions().assign(person.id, '4');
    expect(told(await ask(person.key, 'k', body))).toBe('200 SUCCESS');
  });

  it('is nothing of a request that is wrong: put right, it runs with the same key', async () => {
    const person = await customer();
    expect(told(await ask(person.key, 'k', { ...chat(), temperature: 3 }))).toBe('400 INVALID_FORMAT');
    expect(told(await ask(person.key, 'k'))).toBe('200 SUCCESS');
  });

  it('is no answer over 256 KB: the repeat is told which request had it, and does not run', async () => {
    const person = await customer();
    model.state.content = 'x'.repeat(256 * 1024);
    const first = await ask(person.key, 'k');
    await expectNoReplay(await ask(person.key, 'k'), requestId(first));
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('is no stream, be it under way or over', async () => {
    const person = await customer();
    model.state.delayMs = 500;
    const body = { ...chat(), stream: true };
    const headers = {
      authorization: `Bearer ${person.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'k',
    };
    const first = await fetch(service.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const original = first.headers.get('x-request-id');
    await expectNoReplay(await ask(person.key, 'k', body), original);
    expect(await first.text()).toContain('STREAM_COMPLETE');
    await expectNoReplay(await ask(person.key, 'k', body), original);
    expect(await spent(person)).toEqual([1, 1]);
  });

  async function expectNoReplay(answer: ApiResponse, original: string | null): Promise<void> {
    expect(told(answer)).toBe('409 REPLAY_UNAVAILABLE');
    expect(answer.body.detail).toContain(original);
    expect(answer.headers.get('x-original-request-id')).toBe(original);
  }

  it('is an answer just below 256 KB', async () => {
    const person = await customer();
    model.state.content = 'é'.repeat(127 * 1024);
    const first = await ask(person.key, 'k');
    expect((await ask(person.key, 'k')).body).toEqual(first.body);
  });
});

describe('credentials come first:', () => {
  it('a key that is not ours learns nothing of what is stored, and does not stand in the way', async () => {
    const person = await customer();
    const forged = issueCredential('key', person.id, { bytes: (size) => randomBytes(size) }).text;
    const first = await ask(person.key, 'k');
    for (const body of [chat(), chat('Other')]) expect(told(await ask(forged, 'k', body))).toBe('401 INVALID_API_KEY');
    for (const key of ['fresh', '', 'a, b']) expect(told(await ask(forged, key))).toBe('401 INVALID_API_KEY');
    expect((await ask(person.key, 'k')).body).toEqual(first.body);
    expect(told(await ask(person.key, 'fresh', chat('Other')))).toBe('200 SUCCESS');
  });

  it('a key that was revoked gets no answer again', async () => {
    const person = await customer();
    await ask(person.key, 'k');
    await service.call('DELETE', `/api/keys/${person.keyId}`, { cookie: person.cookie });
    expect(told(await ask(person.key, 'k'))).toBe('401 INVALID_API_KEY');
  });
});

describe('the value of the header', () => {
  let person: Person;
  beforeAll(async () => {
    person = await service.person({ planRank: 4 });
  });

  it('means the same with and without quotes', async () => {
    const first = await ask(person.key, 'a\\b');
    expect((await ask(person.key, '"a\\\\b"')).body).toEqual(first.body);
  });

  it.each(['', 'x'.repeat(256), 'a, b', 'é'])('may not be %j', async (value) => {
    const answer = await ask(person.key, value);
    expect(told(answer)).toBe('400 INVALID_FORMAT');
    expect(answer.body.detail).toMatch(/^The Idempotency-Key header /);
    expect(model.state.runs).toBe(0);
  });

  it('may not come twice', async () => {
    const headers = { authorization: `Bearer ${person.key}`, 'content-type': 'application/json' };
    const request = httpRequest(service.origin + path, { method: 'POST', headers });
    request.setHeader('idempotency-key', ['a', 'a']);
    request.end(JSON.stringify(chat()));
    const [reply] = await once(request, 'response');
    expect([reply.statusCode, JSON.parse(await text(reply)).message]).toEqual([400, 'INVALID_FORMAT']);
  });

  it('is not looked at where a route takes none', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(300) };
    expect((await service.call('GET', '/v1/models', { key: person.key, headers })).status).toBe(200);
  });
});
