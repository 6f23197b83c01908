import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { openIdentityIssuer } from '#local/admin/identity-issuer.ts';

const origin = 'http://127.0.0.1:8787';
const person = { email: 'Ada@example.com', name: 'Ada' };
const file = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), 'issuer-')), 'key.json');

test('a token carries the claims of an identity provider and holds for an hour of the shifted clock', async () => {
  const now = Date.UTC(2030, 0, 1);
  const issuer = await openIdentityIssuer(await file(), origin, () => now);
  const keys = createLocalJWKSet({ keys: [...issuer.keySet.keys] });
  const expected = { issuer: `${origin}/_local/identity`, audience: 'local', algorithms: ['RS256'] };
  const token = await issuer.token(person);
  const { payload } = await jwtVerify(token, keys, { ...expected, currentDate: new Date(now + 3_599_000) });
  expect(payload).toMatchObject({ email: 'Ada@example.com', email_verified: true, name: 'Ada', iat: now / 1000 });
  await expect(jwtVerify(token, keys, { ...expected, currentDate: new Date(now + 3_601_000) })).rejects.toThrow(/exp/);
});

test('an address has the same subject in each of its tokens, whatever its capitals, and another has another', async () => {
  const issuer = await openIdentityIssuer(await file(), origin, Date.now);
  const subjectOf = async (email: string): Promise<unknown> =>
    JSON.parse(Buffer.from((await issuer.token({ email, name: 'x' })).split('.')[1]!, 'base64url').toString()).sub;
  expect(await subjectOf('ada@example.com')).toBe(await subjectOf('ADA@example.com'));
  expect(await subjectOf('bob@example.com')).not.toBe(await subjectOf('ada@example.com'));
});

test('tokens outlive a restart, as the key pair is kept where only its owner reads it', async () => {
  const kept = await file();
  const token = await (await openIdentityIssuer(kept, origin, Date.now)).token(person);
  const again = await openIdentityIssuer(kept, origin, Date.now);
  await jwtVerify(token, createLocalJWKSet({ keys: [...again.keySet.keys] }));
  expect((await stat(kept)).mode & 0o777).toBe(0o600);
});

test('no private part of the key is published', async () => {
  const kept = await file();
  const { keySet, configuration } = await openIdentityIssuer(kept, origin, Date.now);
  const { d } = JSON.parse(await readFile(kept, 'utf8'));
  expect(JSON.stringify(keySet)).not.toContain(d);
  expect(Object.keys(keySet.keys[0]!).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  expect(configuration).toMatchObject({
    issuer: `${origin}/_local/identity`,
    jwks_uri: `${origin}/_local/identity/jwks.json`,
  });
});
