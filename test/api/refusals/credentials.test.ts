import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueCredential } from '#domain/shared/credential.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import type { CallOptions } from '#test/service/api-request.ts';
import { chat, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let person: Person;
beforeAll(async () => {
  service = await startTestService();
  person = await service.person();
});
afterAll(() => service.close());

const random = { bytes: (size: number) => randomBytes(size) };
const forged = (kind: 'key' | 'session') => issueCredential(kind, person.id, random).text;
const chatWith = (options: CallOptions) =>
  service.call('POST', '/v1/chat/completions', { body: chat(), ...options }).then(({ status, body }) => [status, body]);

const noKey = 'No API key was sent; send Authorization: Bearer and an API key that is active.';
const malformed =
  'The Authorization header must be Bearer, a space, and an API key: tai_ followed by 58 letters and digits.';
const unknown = 'The API key is unknown, revoked, suspended or expired. Use an active key.';

describe('a 401 names what is wrong with the credential,', () => {
  it.each<[what: string, path: string, options: () => CallOptions, detail: string]>([
    ['nothing sent where a key is taken', '/v1/models', () => ({}), noKey],
    ['a session where a key is taken', '/v1/models', () => ({ cookie: person.cookie }), noKey],
    ['a header of another name', '/v1/models', () => ({ headers: { 'x-api-key': person.key } }), noKey],
    [
      'nothing sent where either is taken',
      '/api/credits/me',
      () => ({}),
      'Neither an API key nor a session was sent; send Authorization: Bearer and an API key that is active, or sign in.',
    ],
    ['nothing sent where a session is taken', '/api/keys', () => ({}), 'No session was sent; sign in.'],
    ['the placeholder of the examples', '/v1/models', () => ({ key: 'tai_your_api_key' }), malformed],
    ['a mistyped key', '/v1/models', () => ({ key: mistyped(person.key) }), malformed],
    ['a key without Bearer', '/v1/models', () => ({ headers: { authorization: person.key } }), malformed],
    ['a session as a key', '/v1/models', () => ({ key: forged('session') }), malformed],
    ['a key that never was', '/v1/models', () => ({ key: forged('key') }), unknown],
    [
      'a session that never was',
      '/api/keys',
      () => ({ key: forged('session') }),
      'The session has ended; sign in again.',
    ],
  ])('%s', async (_, path, options, detail) => {
    const { status, body } = await service.call('GET', path, options());
    expect([status, body.message, body.detail]).toEqual([401, 'INVALID_API_KEY', detail]);
  });

  it('but not whether a key ever was: one that never was, one of nobody and one that was are refused alike', async () => {
    const { cookie } = person;
    const create = async (body: object) => (await service.call('POST', '/api/keys', { cookie, body })).body.data;
    const [revoked, suspended] = [await create({ name: 'revoked' }), await create({ name: 'suspended' })];
    const refusedOnes = [forged('key'), issueCredential('key', person.id + 1, random).text, revoked.key, suspended.key];
    await service.call('DELETE', `/api/keys/${revoked.id}`, { cookie });
    await service.call('PATCH', `/api/keys/${suspended.id}`, { cookie, body: { status: 'suspended' } });
    const refusal = [401, { message: 'INVALID_API_KEY', error: true, data: null, status: 401, detail: unknown }];
    for (const key of refusedOnes) {
      expect(await chatWith({ key })).toEqual(refusal);
      expect(await chatWith({ key, body: {} })).toEqual(refusal);
    }
  });
});
