import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler } from '#jobs/record-requests.ts';
import { fullyRecorded } from '#middleware/refusal-sampler.ts';
import { itemBytes } from '#test/item-size.ts';
import { mistyped } from '#test/mistyped.ts';
import { rowsOf } from '#test/rows.ts';
import { chat, type Person, startTestService, type TestService } from '#test/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const complete = (key: string, body: unknown = chat(), headers = {}) =>
  service.call('POST', '/v1/chat/completions', { key, body, headers });
const stored = async ({ id }: Person) => (await rowsOf('requests')).filter(({ a }) => a === id);

async function list({ cookie }: Pick<Person, 'cookie'>, query = '') {
  const response = await service.call('GET', `/api/requests${query}`, { cookie });
  return { status: response.status, detail: response.body.detail, ...response.body.data };
}

/** The requests of a person, once there are as many. */
async function recorded(person: Person, count: number, query = ''): Promise<any[]> {
  for (let tries = 0; tries < 100; tries++) {
    await service.settled();
    const { requests } = await list(person, query);
    if (requests.length >= count) return requests;
  }
  throw new Error(`there are no ${count} requests`);
}

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
      status: 200,
      code: null,
      detail: null,
      service: 'chat',
      model: 'svc-1',
      key: { id: person.keyId, name: 'test' },
      isStream: false,
      inputTokens: body.data.usage.prompt_tokens,
      outputTokens: body.data.usage.completion_tokens,
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
    expect(request.credits).toBeCloseTo((request.inputTokens + request.outputTokens) / 1000, 6);
    expect(request.outputTokens).toBeGreaterThan(0);
    expect(request.firstByteMs).toBeLessThanOrEqual(request.latencyMs);
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
      expect(byId.get(headers.get('x-request-id') ?? '')).toMatchObject({ status, detail: body.detail, credits: 0 });
    }
    const { body } = await complete(poor.key);
    const [refused] = await recorded(poor, 1);
    expect(refused).toMatchObject({ status: 402, code: 'INSUFFICIENT_CREDITS', detail: body.detail, model: 'svc-1' });
  });

  it('has when to try again, of one refused by the rate', async () => {
    const person = await service.person();
    for (let call = 0; call < 10; call++) await complete(person.key);
    const { status, headers } = await complete(person.key);
    const [refused] = await recorded(person, 1, '?status=429');
    expect(status).toBe(429);
    expect(refused.code).toBe('RATE_LIMIT_EXCEEDED');
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
    // A minute may end meanwhile, and each begins anew.
    expect(rows.length).toBeLessThanOrEqual(2 * (fullyRecorded + 4));
    const unlisted = rows.map(({ record }) => (record as { unlisted?: number }).unlisted ?? 0);
    expect(rows.length + unlisted.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(80);
  });
});

describe('the list', () => {
  let person: Person;
  let other: Person;
  beforeAll(async () => {
    person = await service.person({ planRank: 2 });
    other = await service.person({ planRank: 2 });
    for (let call = 0; call < 5; call++) await complete(person.key);
    await complete(person.key, { ...chat(), temperature: 3 });
    await service.call('POST', '/api/ai/translate', {
      key: person.key,
      body: { text: 'Good morning.', sourceLanguage: 'en', targetLanguage: 'fr' },
    });
    await complete(other.key);
    await recorded(person, 7);
    await recorded(other, 1);
  });

  it('is filtered by day, status, service, model and key', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const counts = async (query: string) => (await list(person, `?${query}`)).requests.length;
    expect(await counts('status=2xx')).toBe(6);
    expect(await counts('status=400')).toBe(1);
    expect(await counts('status=5xx')).toBe(0);
    expect(await counts('service=translation')).toBe(1);
    expect(await counts('model=svc-1&status=2xx')).toBe(5);
    expect(await counts(`keyId=${person.keyId}`)).toBe(7);
    expect(await counts(`keyId=${other.keyId}`)).toBe(0);
    expect(await counts(`from=${today}`)).toBe(7);
    expect(await counts('from=2999-01-01')).toBe(0);
    expect(await counts('to=2020-01-01')).toBe(0);
    for (const wrong of ['status=6xx', 'service=poems', 'from=soon', 'cursor=x', 'from=2026-02-02&to=2026-02-01'])
      expect((await list(person, `?${wrong}`)).status).toBe(400);
  });

  it('is paged by its cursor, each request once, newest first', async () => {
    const seen: { requestId: string; at: string }[] = [];
    let cursor: string | null = '';
    do {
      const page: any = await list(person, `?limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
      seen.push(...page.requests);
      cursor = page.nextCursor;
    } while (cursor !== null);
    const { requests } = await list(person);
    expect(seen).toEqual(requests);
    expect(new Set(seen.map(({ requestId }) => requestId)).size).toBe(7);
    expect(seen.map(({ at }) => at)).toEqual(
      seen
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
  });

  it('has the requests of its own account only, also with a cursor of another', async () => {
    const { nextCursor } = await list(person, '?limit=1');
    const { requests } = await list(other, `?cursor=${encodeURIComponent(nextCursor)}`);
    const mine = new Set((await list(person)).requests.map(({ requestId }: any) => requestId));
    expect(requests.some(({ requestId }: any) => mine.has(requestId))).toBe(false);
    expect((await list(other)).requests.length).toBe(1);
    expect((await service.call('GET', '/api/requests', { key: person.key })).status).toBe(403);
  });

  it('forgets a request after 30 days, and its row is removed', async () => {
    await service.post('/_local/clock', { advance: 'P31D' });
    const { cookie } = await service
      .call('POST', '/api/auth/login', {
        body: { email: person.email, password: person.password },
      })
      .then(({ headers }) => ({ cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' }));
    expect((await list({ cookie })).requests).toEqual([]);
    for (let tries = 0; tries < 50 && (await stored(person)).length > 0; tries++) await service.settled();
    expect(await stored(person)).toEqual([]);
  });
});
