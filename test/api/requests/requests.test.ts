import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordRequests } from '#jobs/requests.ts';
import { fullyRecorded } from '#middleware/request-log.ts';
import { itemBytes } from '#test/database/item-size.ts';
import { rowsOf } from '#test/database/rows.ts';
import { patience, times } from '#test/many.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { type ApiResponse, chat, cookieOf, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

const handler = recordRequests();

const complete = (key: string, body: unknown = chat(), headers = {}) =>
  service.call('POST', '/v1/chat/completions', { key, body, headers });
const stored = async ({ id }: Person) => (await rowsOf('requests')).filter(({ a }) => a === id);
async function list({ cookie }: Pick<Person, 'cookie'>, query = '') {
  const response = await service.call('GET', `/api/requests${query}`, { cookie });
  return { status: response.status, detail: response.body.detail, ...response.body.data };
}

/** The recorded requests of a person, once there are `count`. */
async function recorded(person: Person, count: number, query = ''): Promise<any[]> {
  for (let tries = 0; tries < 100; tries++) {
    await service.settled();
    const { requests } = await list(person, query);
    if (requests.length >= count) return requests;
  }
  throw new Error(`there are no ${count} requests`);
}

const stream = async (key: string, body: object) => (await service.open('/v1/completions', key, body)).text();

describe('the record of a request', () => {
  it('contains operation, key, duration and cost', async () => {
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

  it.each([
    ['/openai/v1/responses', { model: 'svc-1', input: 'Hello' }],
    ['/anthropic/v1/messages', { model: 'svc-1', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] }],
  ])('of POST %s contains its tokens, with and without streaming', async (path, body) => {
    const person = await service.person({ planRank: 2 });
    await service.call('POST', path, { key: person.key, body });
    await (await service.open(path, person.key, { ...body, stream: true })).text();
    const requests = await recorded(person, 2);
    expect(
      requests.map(({ status, promptTokens, completionTokens }) => [status, promptTokens > 0, completionTokens > 0]),
    ).toEqual([
      [200, true, true],
      [200, true, true],
    ]);
  });

  it('of a stream contains its tokens, its charge and the time to its first piece', async () => {
    const person = await service.person({ planRank: 2 });
    await stream(person.key, { model: 'svc-instruct', prompt: 'Once', max_tokens: 20, stream: true });
    const [request] = await recorded(person, 1);
    expect(request).toMatchObject({ status: 200, service: 'completion', isStream: true });
    expect(request.credits).toBeCloseTo((request.promptTokens + request.completionTokens) / 1000, 6);
    expect(request.completionTokens).toBeGreaterThan(0);
    expect(request.firstByteMs).toBeLessThanOrEqual(request.latencyMs);
  });

  it('contains the reason for a refusal or failure, and the retry time', async () => {
    const person = await service.person({ planRank: 2 });
    const [poor, hasty] = [await service.person({ planRank: 2, credits: 0 }), await service.person()];
    const body = { name: 'limited', limit: { credits: 1, period: 'day' } };
    const limited = (await service.call('POST', '/api/keys', { cookie: person.cookie, body })).body.data.key;
    const once = { 'idempotency-key': 'once' };
    for (const key of [limited, ...times(10, () => hasty.key)]) await complete(key);
    await complete(person.key, chat(), once);
    const refusals: [whose: Person, response: ApiResponse][] = [
      [person, await complete(person.key, { ...chat(), temperature: 3 })],
      [person, await complete(person.key, chat('Another'), once)],
      [person, await complete(person.key, { ...chat(), model: 'svc-1-32k' })],
      [person, await complete(limited)],
      [poor, await complete(poor.key)],
      [hasty, await complete(hasty.key)],
    ];
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error', count: 10 });
    refusals.push([person, await complete(person.key)]);
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'none', count: 1 });
    expect(refusals.map(([, { status }]) => status)).toEqual([400, 422, 403, 403, 402, 429, 502]);
    const records = [...(await recorded(person, 7)), ...(await recorded(poor, 1)), ...(await recorded(hasty, 11))];
    for (const [, { status, headers, body }] of refusals) {
      const record = records.find(({ requestId }) => requestId === headers.get('x-request-id'));
      // The record states a free failure by its `credits`.
      const detail = body.detail?.replace(' You were not charged.', '');
      expect(record).toMatchObject({ status, message: body.message, detail, credits: 0 });
      expect(record.headers['Retry-After'] ?? null).toBe(headers.get('retry-after'));
    }
  });

  it('contains no prompt or response text and fits in one write unit', async () => {
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
  it('that is delivered again or late creates no second record', async () => {
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

describe('the request recorder', () => {
  it('records nothing without a valid key, whichever account the key names', async () => {
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

  it('records the first of many refusals, and counts the rest', async () => {
    const person = await service.person({ planRank: 2, credits: 0 });
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 10 }, () => complete(person.key)));
    await recorded(person, fullyRecorded);
    await service.settled();
    const rows = await stored(person);
    // The minute may end during the test, which restarts the count.
    expect(rows.length).toBeLessThanOrEqual(2 * (fullyRecorded + 4));
    const unlisted = rows.map(({ record }) => (record as { unlisted?: number }).unlisted ?? 0);
    expect(rows.length + unlisted.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(80);
  });
});

describe('the request list', () => {
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

  it('filters by day, status, service, model and key', async () => {
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
    expect(await counts(`from=${new Date(Date.now() - 3_600_000).toISOString()}`)).toBe(7);
    expect(await counts('error=TEMPERATURE')).toBe(1);
    expect(await counts('error=invalid_format&status=4xx')).toBe(1);
    expect(await counts('error=nothing')).toBe(0);
    const [{ requestId }] = (await list(person, '?limit=1')).requests;
    expect(await counts(`requestId=${requestId}`)).toBe(1);
    expect((await list(other, `?requestId=${requestId}`)).requests).toEqual([]);
    for (const wrong of [
      'status=6xx',
      'service=poems',
      'from=soon',
      'cursor=x',
      'requestId=a b',
      'error=',
      'from=2026-02-02&to=2026-02-01',
    ])
      expect((await list(person, `?${wrong}`)).status).toBe(400);
  });

  it('returns pages by cursor, each request once, newest first', async () => {
    const seen: { requestId: string; at: string }[] = [];
    let cursor: string | null = '';
    do {
      const page: any = await list(person, `?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
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

  it('contains only requests of its own account, even with a foreign cursor', async () => {
    const { nextCursor } = await list(person, '?limit=1');
    const { requests } = await list(other, `?cursor=${nextCursor}`);
    const mine = new Set((await list(person)).requests.map(({ requestId }: any) => requestId));
    expect(requests.some(({ requestId }: any) => mine.has(requestId))).toBe(false);
    expect((await list(other)).requests.length).toBe(1);
    const { body } = await service.call('GET', '/api/requests', { key: person.key });
    expect(body.data.requests).toEqual((await list(person)).requests);
  });

  it('omits a request after 30 days, and its row is deleted', { timeout: patience }, async () => {
    await service.post('/_local/clock', { advance: 'P31D' });
    const cookie = cookieOf(await service.call('POST', '/api/auth/login', { body: person }));
    expect((await list({ cookie })).requests).toEqual([]);
    // On a busy machine the jobs of a month continue after the response of the clock.
    await expect.poll(() => stored(person), { timeout: 60_000 }).toEqual([]);
  });
});
