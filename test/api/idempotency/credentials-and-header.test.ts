import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { issueCredential } from '#domain/shared/credential.ts';
import { services } from '#runtime/services/container.ts';
import { isReplay, path, useIdempotentCalls } from '#test/requests/idempotent-calls.ts';
import { chat, code, type Person } from '#test/service/service.ts';

const running = useIdempotentCalls();
const { send, customer } = running;

describe('credentials come first:', () => {
  it('a key that is not ours learns nothing of what is stored, and does not stand in the way', async () => {
    const person = await customer();
    const forged = issueCredential('key', person.id, { bytes: (size) => randomBytes(size) }).text;
    const first = await send(person.key, 'k');
    for (const body of [chat(), chat('Other')]) expect(code(await send(forged, 'k', body))).toBe('401 INVALID_API_KEY');
    for (const key of ['fresh', '', 'a, b']) expect(code(await send(forged, key))).toBe('401 INVALID_API_KEY');
    expect((await send(person.key, 'k')).body).toEqual(first.body);
    expect(code(await send(person.key, 'fresh', chat('Other')))).toBe('200 SUCCESS');
  });

  it('a key that was revoked gets no stored response', async () => {
    const person = await customer();
    await send(person.key, 'k');
    await running.service.call('DELETE', `/api/keys/${person.keyId}`, { cookie: person.cookie });
    expect(code(await send(person.key, 'k'))).toBe('401 INVALID_API_KEY');
  });
});

describe('rights come before what is stored:', () => {
  it.each([{ models: ['svc-code'] }, { services: ['embeddings'] }])(
    'a key limited to %j gets neither the response of another key, nor learns that there is one',
    async (limits) => {
      const { key, cookie } = await customer();
      await send(key, 'k');
      const body = { name: 'limited', ...limits };
      const limited = (await running.service.call('POST', '/api/keys', { cookie, body })).body.data.key;
      for (const text of ['Hello', 'Other']) {
        const refused = await send(limited, 'k', chat(text));
        expect([code(refused), isReplay(refused)]).toEqual(['403 INSUFFICIENT_PERMISSIONS', false]);
      }
      expect(isReplay(await send(key, 'k'))).toBe(true);
    },
  );

  it('another body with a model that the plan does not have is 403, as without the header', async () => {
    const person = await customer();
    await send(person.key, 'k');
    const refused = await send(person.key, 'k', { ...chat(), model: 'svc-1-32k' });
    expect([code(refused), running.model.state.runs]).toEqual(['403 INSUFFICIENT_PERMISSIONS', 1]);
    expect(isReplay(await send(person.key, 'k'))).toBe(true);
  });

  it('what was charged is sent again where the plan no longer has its model', async () => {
    const person = await running.service.person({ planRank: 4, credits: 10 });
    const body = { ...chat(), model: 'svc-1-32k' };
    const first = await send(person.key, 'k', body);
    await services().subscriptions().assign(person.id, '2');
    expect(code(await send(person.key, 'fresh', body))).toBe('403 INSUFFICIENT_PERMISSIONS');
    expect((await send(person.key, 'k', body)).body).toEqual(first.body);
  });
});

describe('the value of the header', () => {
  let person: Person;
  beforeAll(async () => {
    person = await running.service.person({ planRank: 4 });
  });

  it('means the same with and without quotes', async () => {
    const first = await send(person.key, 'a\\b');
    expect((await send(person.key, '"a\\\\b"')).body).toEqual(first.body);
  });

  it.each(['', 'x'.repeat(256), 'a, b', 'é'])('may not be %j', async (value) => {
    const response = await send(person.key, value);
    expect(code(response)).toBe('400 INVALID_FORMAT');
    expect(response.body.detail).toMatch(/^The Idempotency-Key header /);
    expect(running.model.state.runs).toBe(0);
  });

  it('may not come twice', async () => {
    const headers = { authorization: `Bearer ${person.key}`, 'content-type': 'application/json' };
    const request = httpRequest(running.service.origin + path, { method: 'POST', headers });
    request.setHeader('idempotency-key', ['a', 'a']);
    request.end(JSON.stringify(chat()));
    const [reply] = await once(request, 'response');
    expect([reply.statusCode, JSON.parse(await text(reply)).message]).toEqual([400, 'INVALID_FORMAT']);
  });

  it('is not looked at where a route takes none', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(300) };
    expect((await running.service.call('GET', '/v1/models', { key: person.key, headers })).status).toBe(200);
  });
});
