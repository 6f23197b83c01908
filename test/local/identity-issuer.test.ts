import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { openIdentityIssuer } from '#local/admin/identity-issuer.ts';
import { testFolder } from '#test/folder.ts';

const origin = 'http://127.0.0.1:8787';
const person = { email: 'Ada@example.com', name: 'Ada' };
const file = async (): Promise<string> => join(await testFolder(), 'key.json');

test('a token has the claims of an identity provider, one subject for each address, and expires in an hour of the moved clock', async () => {
  const now = Date.UTC(2030, 0, 1);
  const issuer = await openIdentityIssuer(await file(), origin, () => now);
  const keys = createLocalJWKSet({ keys: [...issuer.keySet.keys] });
  const expected = { issuer: `${origin}/_local/identity`, audience: 'local', algorithms: ['RS256'] };
  const token = await issuer.token(person);
  const { payload } = await jwtVerify(token, keys, { ...expected, currentDate: new Date(now + 3_599_000) });
  expect(payload).toMatchObject({ email: 'Ada@example.com', email_verified: true, name: 'Ada', iat: now / 1000 });
  const subjects = ['ADA@example.com', 'bob@example.com'].map(
    async (email) => decodeJwt(await issuer.token({ email, name: 'x' })).sub,
  );
  expect((await Promise.all(subjects)).map((subject) => subject === payload.sub)).toEqual([true, false]);
  await expect(jwtVerify(token, keys, { ...expected, currentDate: new Date(now + 3_601_000) })).rejects.toThrow(/exp/);
});

test('tokens survive a restart, with a key file that only its owner can read', async () => {
  const kept = await file();
  const token = await (await openIdentityIssuer(kept, origin, Date.now)).token(person);
  const again = await openIdentityIssuer(kept, origin, Date.now);
  await jwtVerify(token, createLocalJWKSet({ keys: [...again.keySet.keys] }));
  expect((await stat(kept)).mode & 0o777).toBe(0o600);
});

test('the published key has no private part', async () => {
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
