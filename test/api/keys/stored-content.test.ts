import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { contentOf } from '#domain/requests/stored-content.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { organizationCalls } from '#test/requests/organizations.ts';
import { type ApiResponse, chat, code, cookieOf, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

const contentPath = ({ keyId }: Pick<Person, 'keyId'>, requestId = '') =>
  `/api/keys/${keyId}/content${requestId === '' ? '' : `/${requestId}`}`;

const store = ({ cookie, keyId }: Pick<Person, 'cookie' | 'keyId'>, days: number | null) =>
  service.call('PUT', contentPath({ keyId }), { cookie, body: { days } });

async function complete({ key }: Pick<Person, 'key'>, body: object = chat('Where is the marzipan?')): Promise<string> {
  const { status, headers, body: reply } = await service.call('POST', '/v1/chat/completions', { key, body });
  if (status !== 200) throw new Error(`${status} ${reply.detail}`);
  return headers.get('x-request-id')!;
}

/** The stored content, once it exists. */
async function content(of: Pick<Person, 'cookie' | 'keyId'>, requestId: string): Promise<any> {
  for (const end = performance.now() + 10_000; performance.now() < end; await sleep(10)) {
    const found = await read(of, requestId);
    if (found.status === 200) return found.body.data;
  }
  throw new Error('there is no content');
}

const read = ({ cookie, keyId }: Pick<Person, 'cookie' | 'keyId'>, requestId: string): Promise<ApiResponse> =>
  service.call('GET', contentPath({ keyId }, requestId), { cookie });

const objects = async () => (await readdir(join(service.folder, 'contents')).catch(() => [])).length;

async function storing(days = 7): Promise<Person> {
  const person = await service.person({ planRank: 4 });
  expect(code(await store(person, days))).toBe('200 SUCCESS');
  return person;
}

describe('prompts and responses of a key', () => {
  it('are not stored by default, and such calls write nothing to the bucket', async () => {
    const person = await service.person({ planRank: 4 });
    const before = await objects();
    const requestId = await complete(person);
    await service.settled();
    await sleep(200);
    expect(code(await read(person, requestId))).toBe('404 NOT_FOUND');
    expect(await objects()).toBe(before);
    const meter = (await rowsOf('meters')).find(({ a }) => a === person.id);
    expect(Object.keys(meter!).filter((name) => name.startsWith('D'))).toEqual([]);
    const { body } = await service.call('GET', '/api/keys', { cookie: person.cookie });
    expect(body.data).toMatchObject([{ contentDays: null }]);
  });

  it('are stored once the owner turns it on, as sent', async () => {
    const person = await storing(7);
    const sent = chat('<img src=x onerror=alert(1)> marzipan');
    const requestId = await complete(person, sent);
    const stored = await content(person, requestId);
    expect(stored).toMatchObject({ requestId, isStream: false });
    expect(Date.parse(stored.expiresAt) - Date.parse(stored.at)).toBe(7 * 86_400_000);
    expect(JSON.parse(stored.request.text)).toEqual(sent);
    expect(stored.request).toMatchObject({ contentType: 'application/json', isTruncated: false });
    const reply = JSON.parse(stored.response.text);
    expect(reply).toMatchObject({ status: 200, data: { choices: [{ message: { role: 'assistant' } }] } });
    expect(JSON.stringify(stored)).not.toContain(person.key);
  });

  it('of a stream are stored as the assembled response, in every format', async () => {
    const person = await storing();
    const messages = [{ role: 'user', content: 'Tell me about the river bank' }];
    const cases = [
      ['/v1/chat/completions', { model: 'svc-1', messages }],
      ['/openai/v1/chat/completions', { model: 'svc-1', messages }],
      ['/v1/completions', { model: 'svc-instruct', prompt: 'Once upon a time', max_tokens: 8 }],
      ['/openai/v1/responses', { model: 'svc-1', input: 'Hello' }],
      ['/anthropic/v1/messages', { model: 'svc-1', max_tokens: 64, messages }],
    ] as const;
    for (const [path, body] of cases) {
      const whole = await service.open(path, person.key, body);
      const streamed = await service.open(path, person.key, { ...body, stream: true });
      const wholeText = textOf(await whole.json());
      await streamed.text();
      const stored = await content(person, streamed.headers.get('x-request-id')!);
      expect(stored.isStream).toBe(true);
      expect(wholeText.length).toBeGreaterThan(0);
      expect([path, textOf(JSON.parse(stored.response.text))]).toEqual([path, wholeText]);
    }
  });

  it('include failed calls, but no refused ones', async () => {
    const person = await storing();
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error' });
    const failed = await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat('marzipan') });
    expect(failed.status).toBeGreaterThanOrEqual(500);
    const stored = await content(person, failed.headers.get('x-request-id')!);
    expect(JSON.parse(stored.response.text)).toMatchObject({ error: true, status: failed.status });
    const refused = await service.call('POST', '/v1/chat/completions', { key: person.key, body: { model: 'svc-1' } });
    expect(refused.status).toBe(400);
    await sleep(200);
    expect(code(await read(person, refused.headers.get('x-request-id')!))).toBe('404 NOT_FOUND');
  });

  it('describe audio and vectors without their bytes', async () => {
    const person = await storing();
    const speech = await service.open('/openai/v1/audio/speech', person.key, {
      model: 'svc-speech',
      input: 'Hello',
      voice: 'nova',
      response_format: 'wav',
    });
    await speech.arrayBuffer();
    const spoken = await content(person, speech.headers.get('x-request-id')!);
    expect(spoken.response).toEqual({ contentType: 'audio/wav', bytes: null, text: null, isTruncated: false });
    expect(JSON.parse(spoken.request.text)).toMatchObject({ input: 'Hello' });
    const vectors = await service.open('/v1/embeddings', person.key, { model: 'svc-embed', input: ['river'] });
    const { length } = await vectors.text();
    const embedded = await content(person, vectors.headers.get('x-request-id')!);
    expect(embedded.response).toMatchObject({ text: null, bytes: length });
  });

  it('are cut at 256 KB of each side, between characters', async () => {
    const person = await storing();
    const requestId = await complete(person, { ...chat('hello'), user: undefined, unknown: 'é'.repeat(200_000) });
    const { request } = await content(person, requestId);
    expect(request.isTruncated).toBe(true);
    expect(request.bytes).toBeGreaterThan(400_000);
    expect(Buffer.byteLength(request.text)).toBeLessThanOrEqual(256 * 1024);
    expect(Buffer.byteLength(request.text)).toBeGreaterThan(256 * 1024 - 4);
    expect(request.text).not.toContain('\uFFFD');
  });

  it('do not affect the call if storing fails', async () => {
    const person = await storing();
    await service.post('/_local/faults', { target: 's3', fault: 'unavailable', count: 3 });
    const requestId = await complete(person);
    await sleep(1500);
    expect(code(await read(person, requestId))).toBe('404 NOT_FOUND');
    await service.post('/_local/faults', { target: 's3', fault: 'none' });
    await content(person, await complete(person));
  });

  it('are listed with their expiry in the request log, which contains no text', async () => {
    const person = await storing(30);
    const requestId = await complete(person);
    const { expiresAt } = await content(person, requestId);
    await service.settled();
    const { body } = await service.call('GET', '/api/requests', { cookie: person.cookie });
    expect(body.data.requests).toMatchObject([{ requestId, contentExpiresAt: expiresAt }]);
    for (const table of ['requests', 'meters', 'ledger', 'idempotency', 'accounts'] as const)
      expect(JSON.stringify(await rowsOf(table))).not.toContain('marzipan');
  });
});

describe('the setting', () => {
  it('is kept by a rotated key and while the key is suspended', async () => {
    const person = await storing(3);
    const { cookie, keyId } = person;
    await service.call('PATCH', `/api/keys/${keyId}`, { cookie, body: { status: 'suspended' } });
    await service.call('PATCH', `/api/keys/${keyId}`, { cookie, body: { status: 'active', name: 'again' } });
    await content(person, await complete(person));
    const rotated = await service.call('POST', `/api/keys/${keyId}/rotate`, { cookie, body: {} });
    expect(rotated.body.data).toMatchObject({ contentDays: 3 });
    const fresh = { cookie, key: String(rotated.body.data.key), keyId: String(rotated.body.data.id) };
    await content(fresh, await complete(fresh));
    const meter = (await rowsOf('meters')).find(({ a }) => a === person.id);
    expect(Object.entries(meter!).filter(([name]) => name.startsWith('D'))).toEqual([
      [`D${fresh.keyId.slice(0, 12)}`, 3],
    ]);
  });

  it('applies to later calls, and turning it off deletes nothing', async () => {
    const person = await storing(1);
    const before = await complete(person);
    await content(person, before);
    await store(person, 30);
    const { at, expiresAt } = await content(person, before);
    expect(Date.parse(expiresAt) - Date.parse(at)).toBe(86_400_000);
    await store(person, null);
    const after = await complete(person);
    await sleep(200);
    expect(code(await read(person, after))).toBe('404 NOT_FOUND');
    await content(person, before);
  });

  it.each([0, 31, 1.5, '7'])('refuses %j days', async (days) => {
    const person = await service.person();
    expect(code(await store(person, days as number))).toBe('400 INVALID_FORMAT');
  });

  it('cannot be set for a revoked key, whose stored content remains readable', async () => {
    const person = await storing();
    const requestId = await complete(person);
    await content(person, requestId);
    await service.call('DELETE', `/api/keys/${person.keyId}`, { cookie: person.cookie });
    expect(code(await store(person, 7))).toBe('409 INVALID_STATE');
    await content(person, requestId);
  });
});

describe('stored content', () => {
  it('is deleted for one request or for all requests of a key', async () => {
    const person = await storing();
    const ids = [await complete(person), await complete(person), await complete(person)];
    for (const id of ids) await content(person, id);
    const remove = (requestId?: string) =>
      service.call('DELETE', contentPath(person, requestId), { cookie: person.cookie });
    expect(code(await remove(ids[0]))).toBe('200 SUCCESS');
    expect(code(await remove(ids[0]))).toBe('404 NOT_FOUND');
    expect(code(await read(person, ids[0]!))).toBe('404 NOT_FOUND');
    await content(person, ids[1]!);
    expect((await remove()).body.data).toEqual({ deleted: 2, isDone: true });
    expect(code(await read(person, ids[2]!))).toBe('404 NOT_FOUND');
  });

  it('belongs to its account, whatever the path', async () => {
    const [person, other] = [await storing(), await storing()];
    const requestId = await complete(person);
    await content(person, requestId);
    expect(code(await read({ ...other, keyId: person.keyId }, requestId))).toBe('404 NOT_FOUND');
    expect(code(await read({ ...other, keyId: `..%2F${person.id}%2F${person.keyId}` }, requestId))).toBe(
      '400 INVALID_FORMAT',
    );
    const { body } = await service.call('DELETE', contentPath(person), { cookie: other.cookie });
    expect(body.data).toEqual({ deleted: 0, isDone: true });
    expect(code(await service.call('GET', contentPath(person, requestId), { key: person.key }))).toBe(
      '403 INSUFFICIENT_PERMISSIONS',
    );
    await content(person, requestId);
  });

  it('is not returned after its days, and the object is deleted', async () => {
    const person = await storing(1);
    const requestId = await complete(person);
    await content(person, requestId);
    const before = await objects();
    await service.post('/_local/clock', { advance: 'PT24H1M' });
    const login = { email: person.email, password_hash: person.password, password: person.password };
    const cookie = cookieOf(await service.call('POST', '/api/auth/login', { body: login }));
    expect(code(await read({ ...person, cookie }, requestId))).toBe('404 NOT_FOUND');
    expect(await objects()).toBeLessThan(before);
  });
});

describe('a deleted account', () => {
  it('loses stored content with its purge, even if the storage has not deleted expired objects', async () => {
    const { id, email, password, cookie, keyId } = await service.person();
    const contents = await services().contents();
    const now = services().clock.now();
    const body = { contentType: 'application/json', bytes: 8, text: 'marzipan', isTruncated: false };
    const call = { requestId: 'late', at: now, days: 90, isStream: false, request: body, response: body };
    await contents.put({ accountId: id, keyId, requestId: 'late' }, contentOf(call), 90, AbortSignal.timeout(5000));
    expect((await contents.list(id, undefined, 10)).rows).toHaveLength(1);
    const deleted = await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    expect(code(deleted)).toMatch(/^200/);
    await service.post('/_local/clock', { advance: 'P31D' });
    expect((await contents.list(id, undefined, 10)).rows).toEqual([]);
  });
});

describe('in an organization', () => {
  let calls: ReturnType<typeof organizationCalls>;
  let owner: Person;
  let developer: Person;
  let id: number;

  beforeAll(async () => {
    calls = organizationCalls(service);
    [owner, developer] = [await service.person(), await service.person()];
    id = await calls.create(owner);
    await calls.join(id, owner, developer, 'developer');
  });

  it('audits every change of the setting, and reading what another member’s key stored', async () => {
    const made = await calls.within(id, 'POST', '/api/keys', { cookie: owner.cookie, body: { name: 'shared' } });
    const { id: keyId, key } = made.body.data;
    const path = `/api/keys/${keyId}/content`;
    await calls.within(id, 'PUT', path, { cookie: owner.cookie, body: { days: 7 } });
    const requestId = await complete({ key });
    const readBy = ({ cookie }: Person) => calls.within(id, 'GET', `${path}/${requestId}`, { cookie });
    for (let tries = 0; tries < 100 && (await readBy(owner)).status !== 200; tries++) await sleep(20);
    expect((await readBy(developer)).status).toBe(200);
    const events = (await rowsOf('audit')).filter(({ pk }) => pk === `account#${id}`);
    expect(events).toMatchObject([
      { action: 'store_content', by: owner.id, before: { keyId, contentDays: null }, after: { keyId, contentDays: 7 } },
      { action: 'read_content', by: developer.id, after: { keyId, contentOf: requestId } },
    ]);
    expect(JSON.stringify(events)).not.toContain('marzipan');
  });
});

/** The generated text of a response in any format. */
function textOf(response: any): string {
  const { choices, output, content: blocks, data = { choices } } = response;
  const parts = data.choices?.map((one: any) => one.text ?? one.message.content) ?? [];
  const items = output?.flatMap((item: any) => item.content?.map(({ text }: any) => text) ?? []) ?? [];
  return [...parts, ...items, ...(blocks ?? []).map(({ text }: any) => text)].join('');
}
