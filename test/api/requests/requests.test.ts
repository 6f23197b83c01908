import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRequests } from '#jobs/requests.ts';
import { fullyRecorded } from '#middleware/request-log.ts';
import { itemBytes } from '#test/database/item-size.ts';
import { rowsOf } from '#test/database/rows.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { requestReader } from '#test/requests/request-records.ts';
import { chat, type Person, startTestService, type TestService } from '#test/service/service.ts';

const handler = recordRequests();

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const complete = (key: string, body: unknown = chat(), headers = {}) =>
  service.call('POST', '/v1/chat/completions', { key, body, headers });
const stored = async ({ id }: Person) => (await rowsOf('requests')).filter(({ a }) => a === id);

const { list, recorded } = requestReader(() => service);

async function stream(key: string, body: object): Promise<void> {
  const response = await fetch(`${service.origin}/v1/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.text();
}

describe('the record of a request', () => {
  it('has what was called, by which key, how long it took, and what it cost', async () => {
    const person = await service.person({ planRank: 2 });
    const { headers, body } = await complete(person.key);
    const [request] = await recorded(person, 1);
    expect(request).toMatchObject({
      requestId: headers.get('x-request-id'),
      route: 'createChatCompletion',
      status: 200,
      message: 'SUCCESS',
      detail: null,
      service: 'chat',
      model: 'svc-1',
      keyId: person.keyId,
      keyName: 'test',
      isStream: false,
      promptTokens: body.data.usage.prompt_tokens,
      completionTokens: body.data.usage.completion_tokens,
      firstByteMs: null,
      credits: 1,
      unlisted: 0,
    });
    expect(Math.abs(Date.parse(request.at) - Date.now())).toBeLessThan(60_000);
    expect(request.latencyMs).toBeGreaterThanOrEqual(0);
    for (const [name, value] of Object.entries(request.headers))
      expect([name, headers.get(name)]).toEqual([name, value]);
    expect(Object.keys(request.headers)).toEqual([
      'x-request-id',
      'x-ratelimit-limit-requests',
      'x-ratelimit-remaining-requests',
      'x-ratelimit-reset-requests',
      'x-credits-charged',
      'x-credits-remaining',
    ]);
  });

  it('of a stream has its tokens, its charge and the time to its first piece', async () => {
    const person = await service.person({ planRank: 2 });
    await stream(person.key, { model: 'svc-instruct', prompt: 'Once', max_tokens: 20, stream: true });
    const [request] = await recorded(person, 1);
    expect(request).toMatchObject({ status: 200, service: 'completion', isStream: true });
    expect(request.credits).toBeCloseTo((request.promptTokens + request.completionTokens) / 1000, 6);
    expect(request.completionTokens).toBeGreaterThan(0);
    expect(request.firstByteMs).toBeLessThanOrEqual(request.latencyMs);
  });

  it('is there of a call that the key’s limit refused', async () => {
    const person = await service.person({ planRank: 2 });
    const limited = { name: 'limited', limit: { credits: 1, period: 'day' } };
    const made = await service.call('POST', '/api/keys', { cookie: person.cookie, body: limited });
    await complete(made.body.data.key);
    const { body } = await complete(made.body.data.key);
    const [request] = await recorded(person, 2);
    expect(request).toMatchObject({ status: 403, message: 'KEY_LIMIT_EXCEEDED', detail: body.detail, credits: 0 });
  });

  it('has why it was refused or failed', async () => {
    const person = await service.person({ planRank: 2 });
    const once = { 'idempotency-key': 'once' };
    const poor = await service.person({ planRank: 2, credits: 0 });
    await complete(person.key, chat(), once);
    const refusals = [
      await complete(person.key, { ...chat(), temperature: 3 }),
      await complete(person.key, chat('Another'), once),
      await complete(person.key, { ...chat(), model: 'svc-1-32k' }),
    ];
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error', count: 10 });
    refusals.push(await complete(person.key));
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'none', count: 1 });
    const requests = await recorded(person, 5);
    const byId = new Map(requests.map((request) => [request.requestId, request]));
    expect(refusals.map(({ status }) => status)).toEqual([400, 422, 403, 502]);
    for (const { status, headers, body } of refusals) {
      // The record reports a free failure by its `credits`.
      const detail = body.detail?.replace(' You were not charged.', '');
      expect(byId.get(headers.get('x-request-id') ?? '')).toMatchObject({ status, detail, credits: 0 });
    }
    const { body } = await complete(poor.key);
    const [refused] = await recorded(poor, 1);
    expect(refused).toMatchObject({
      status: 402,
      message: 'INSUFFICIENT_CREDITS',
      detail: body.detail,
      model: 'svc-1',
    });
  });

  it('has when to try again, of one refused by the rate', async () => {
    const person = await service.person();
    for (let call = 0; call < 10; call++) await complete(person.key);
    const { status, headers } = await complete(person.key);
    const [refused] = await recorded(person, 1, '?status=429');
    expect(status).toBe(429);
    expect(refused.message).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused.headers['Retry-After']).toBe(headers.get('retry-after'));
  });

  it('has nothing of the prompt or the response, and fits into one write unit', async () => {
    const person = await service.person({ planRank: 2 });
    const secret = 'heliotrope-7731';
    const { body } = await complete(person.key, chat(`Repeat: ${secret}`));
    await complete(person.key, { ...chat(secret), temperature: 3 });
    await complete(person.key, { ...chat(secret), model: secret });
    await complete(person.key, { ...chat(), [secret]: secret, messages: [{ role: secret, content: secret }] });
    await complete(person.key, `{"${secret}`);
    await complete(person.key, `{"${secret}\\"":1,"${secret}\\"":2}`);
    await complete(person.key, chat(`${secret} `.repeat(5000)));
    await stream(person.key, { model: 'svc-instruct', prompt: secret, max_tokens: 20, stream: true });
    await recorded(person, 8);
    const rows = await stored(person);
    expect(rows.length).toBe(8);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(body.data.choices[0].message.content);
    for (const row of rows) expect(itemBytes(row)).toBeLessThanOrEqual(1024);
  });
});

describe('a log line', () => {
  it('that is delivered again, or late, makes no second record', async () => {
    const person = await service.person();
    const record = { at: Date.now(), service: 'chat', isStream: false, headers: {} };
    const line = (requestId: string, about = {}) =>
      JSON.stringify({
        requestId,
        status: 200,
        accountId: person.id,
        latency: 5,
        cost: 0,
        record: { ...record, ...about },
      });
    const deliver = (...messages: string[]) => {
      const logEvents = messages.map((message) => ({ message }));
      return handler({ awslogs: { data: gzipSync(JSON.stringify({ logEvents })).toString('base64') } });
    };
    await deliver(line('one'), line('two'), line('one'));
    await deliver(line('two'), line('old', { at: Date.now() - 31 * 86_400_000 }), 'no record');
    const { requests } = await list(person);
    expect(requests.map(({ requestId }: any) => requestId).toSorted()).toEqual(['one', 'two']);
    expect(await stored(person)).toHaveLength(2);
  });
});

describe('nothing is recorded', () => {
  it('of a key that is not proved, whomever it names', async () => {
    const person = await service.person();
    await complete(mistyped(person.key));
    const revoked = await service.call('DELETE', `/api/keys/${person.keyId}`, { cookie: person.cookie });
    expect(revoked.status).toBe(200);
    await complete(person.key);
    await complete(person.key, { ...chat(), temperature: 3 });
    await service.post('/_local/faults', { target: 'dynamodb', fault: 'unavailable', count: 10 });
    await complete(person.key);
    await service.post('/_local/faults', { target: 'dynamodb', fault: 'none', count: 1 });
    await service.settled();
    expect(await stored(person)).toEqual([]);
  });

  it('of a flood of refusals but its beginning, and what counts the rest', async () => {
    const person = await service.person({ planRank: 2, credits: 0 });
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 10 }, () => complete(person.key)));
    await recorded(person, fullyRecorded);
    await service.settled();
    const rows = await stored(person);
    // A minute may end meanwhile, and each begins at zero again.
    expect(rows.length).toBeLessThanOrEqual(2 * (fullyRecorded + 4));
    const unlisted = rows.map(({ record }) => (record as { unlisted?: number }).unlisted ?? 0);
    expect(rows.length + unlisted.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(80);
  });
});
