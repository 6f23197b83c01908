import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen } from '#local/shared/loopback.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { flood } from '#test/models/hostile/hostile-runtime.ts';
import { authCalls } from '#test/requests/accounts/auth-calls.ts';
import type { CallOptions } from '#test/service/api-request.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { type ApiResponse, code, cookieOf, useTestService } from '#test/service/service.ts';

/** Behavior of the issuer's key set endpoint. */
type Mood = 'serving' | 'failing' | 'garbled' | 'misshapen' | 'silent' | 'endless' | 'redirecting';
type Claims = Readonly<Record<string, unknown>>;

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: object;
  readonly publicPem: string;
}

type TestIssuer = Awaited<ReturnType<typeof startIssuer>>;

const audience = 'client-1.apps.googleusercontent.com';

let keysMade = 0;

function newSigningKey(kid = `key-${++keysMade}`): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
  return { kid, privateKey, publicJwk, publicPem: String(publicKey.export({ format: 'pem', type: 'spki' })) };
}

/** An identity provider for tests, which serves its keys over HTTP with the selected behavior. */
async function startIssuer(key: SigningKey) {
  let [mood, published, fetches]: [Mood, readonly SigningKey[], number] = ['serving', [key], 0];
  const server = await listen((_, response) => void respond(response));

  async function respond(response: ServerResponse): Promise<void> {
    fetches += 1;
    if (mood === 'silent') await sleep(10_000, undefined, { ref: false });
    if (mood === 'endless') return flood(response.writeHead(200), ' '.repeat(65_536));
    if (mood === 'redirecting') return void response.writeHead(302, { location: '/elsewhere' }).end();
    const keys = published.map(({ publicJwk }) => publicJwk);
    const body = { garbled: '<html>', misshapen: '{"keys": 5}' }[mood as string] ?? JSON.stringify({ keys });
    response.writeHead(mood === 'failing' ? 500 : 200, { 'content-type': 'application/json' }).end(body);
  }

  return {
    ...server,
    environment: {
      IDENTITY_AUDIENCE: audience,
      IDENTITY_ISSUERS: 'https://accounts.google.com,accounts.google.com',
      IDENTITY_KEYS_URL: `${server.url}/certs`,
    },
    fetches: () => fetches,
    publish: (...keys: SigningKey[]) => void (published = keys),
    become: (next: Mood) => void (mood = next),
  };
}

/** Claims of a valid token; `now` in epoch seconds. */
const claimsFor = (email: string, now: number): Claims => ({
  iss: 'https://accounts.google.com',
  aud: audience,
  sub: `sub-of-${email}`,
  email,
  email_verified: true,
  name: 'Ada Lovelace',
  iat: now,
  exp: now + 3600,
  jti: Math.random(),
});

/** A token with these claims, without the undefined ones. `header` overrides or extends kid and typ. */
function signed({ kid, privateKey }: SigningKey, claims: Claims, header: Claims = {}): string {
  const text = [{ alg: 'RS256', kid, typ: 'JWT', ...header }, claims].map(encoded).join('.');
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const service = useTestService();

let people = 0;

const newEmail = () => `google-${++people}@example.com`;

const google = (token: string, options: CallOptions = {}) =>
  service.call('POST', '/api/auth/google', { body: { token }, ...options });

const { me, login, identityToken } = authCalls(() => service);
const codesOf = (responses: ApiResponse[]) => new Set(responses.map(code));

describe('sign-in with Google', () => {
  it('creates a confirmed account, opens a session, and recognizes the person the next time', async () => {
    const email = newEmail();
    const first = await google(await identityToken(email));
    expect(first.body).toEqual({
      message: 'LOGIN_SUCCESS',
      error: false,
      status: 200,
      data: { id: expect.any(Number), email, name: 'Ada', role: 'viewer' },
    });
    expect(first.headers.getSetCookie().filter((cookie) => cookie.startsWith('session='))).toEqual([
      expect.stringMatching(/^session=tas_\w{58}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/),
    ]);
    const cookie = cookieOf(first);
    expect((await service.call('POST', '/api/keys', { cookie, body: { name: 'first' } })).status).toBe(201);
    expect(code(await login(email, 'a quiet river bank'))).toBe('401 INVALID_CREDENTIALS');
    const again = await google(await identityToken(email));
    expect([again.status, again.body.data.id]).toEqual([200, first.body.data.id]);
    expect((await me(cookieOf(again))).body.data).toMatchObject({ id: first.body.data.id, isSubscribe: false });
  });

  it('accepts each token once, even if it arrives many times concurrently', async () => {
    const token = await identityToken(newEmail());
    const responses = await Promise.all(times(20, () => google(token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect([...codesOf(responses)].toSorted()).toEqual(['200 LOGIN_SUCCESS', '401 INVALID_IDENTITY_TOKEN']);
    expect(code(await google(token))).toBe('401 INVALID_IDENTITY_TOKEN');
  });

  it('creates one account for many concurrent first sign-ins of a person', async () => {
    const email = newEmail();
    const tokens = await Promise.all(times(20, () => identityToken(email)));
    const responses = await Promise.all(tokens.map((token) => google(token)));
    expect([...codesOf(responses)]).toEqual(['200 LOGIN_SUCCESS']);
    expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1);
    const users = (await rowsOf('accounts')).filter((row) => row['sk'] === 'user' && row['email'] === email);
    expect(users).toHaveLength(1);
  });

  it('ignores a role, id and address in the request body', async () => {
    const response = await service.call('POST', '/api/auth/google', {
      body: { token: await identityToken(newEmail()), role: 'operator', id: 7, email: 'other@example.com' },
    });
    expect(response.body.data).toMatchObject({ role: 'viewer', email: expect.stringMatching(/^google-/) });
    expect(response.body.data.id).not.toBe(7);
  });

  describe('a Google sign-in to an address with a password account', () => {
    it('requires a confirmed account to link first, and signs in to the same account from then on', async () => {
      const { email, password, id, cookie } = await service.person();
      const token = await identityToken(email);
      expect(code(await google(token))).toBe('409 IDENTITY_NOT_LINKED');
      const stranger = await service.person();
      expect(code(await google(token, { cookie: stranger.cookie }))).toBe('409 IDENTITY_NOT_LINKED');
      const linked = await google(token, { cookie });
      expect([code(linked), linked.body.data.id]).toEqual(['200 LOGIN_SUCCESS', id]);
      const alone = await google(await identityToken(email));
      expect([code(alone), alone.body.data.id]).toEqual(['200 LOGIN_SUCCESS', id]);
      expect(code(await login(email, password))).toBe('200 LOGIN_SUCCESS');
    });

    it('rejects linking with a key or an ended session', async () => {
      const { email, key, cookie } = await service.person();
      await service.call('POST', '/api/auth/logout', { cookie });
      for (const options of [{ key }, { cookie }, { key: 'junk' }])
        expect(code(await google(await identityToken(email), options))).toBe('409 IDENTITY_NOT_LINKED');
    });

    it('gives an unconfirmed account to its owner, and revokes all access of the first registrant', async () => {
      const { email, password, id, cookie } = await service.registered();
      const confirmation = await service.mailedToken(email);
      const owner = await google(await identityToken(email, 'The owner'));
      expect([code(owner), owner.body.data.id, owner.body.data.name]).toEqual(['200 LOGIN_SUCCESS', id, 'The owner']);
      expect(code(await me(cookie))).toBe('401 INVALID_API_KEY');
      expect(code(await login(email, password))).toBe('401 INVALID_CREDENTIALS');
      const confirm = await service.call('GET', `/api/auth/confirm?token=${confirmation}`, { cookie: cookieOf(owner) });
      expect(code(confirm)).toBe('400 INVALID_TOKEN');
      const made = await service.call('POST', '/api/keys', { cookie: cookieOf(owner), body: { name: 'mine' } });
      expect(made.status).toBe(201);
      expect((await google(await identityToken(email))).body.data.id).toBe(id);
    });

    it('gives an unconfirmed account to its owner once for many concurrent tokens', async () => {
      const { email, id } = await service.registered();
      const tokens = await Promise.all(times(10, () => identityToken(email)));
      const responses = await Promise.all(tokens.map((token) => google(token)));
      expect([...codesOf(responses)]).toEqual(['200 LOGIN_SUCCESS']);
      expect(new Set(responses.map(({ body }) => body.data.id))).toEqual(new Set([id]));
    });
  });
});

describe('a token of the identity provider', () => {
  const key = newSigningKey();
  const foreign = newSigningKey();
  let issuer: TestIssuer;
  let restore: () => void;
  beforeAll(() => service.settled());
  beforeEach(async () => {
    issuer = await startIssuer(key);
    restore = withEnvironment(issuer.environment);
  });
  afterEach(async () => {
    vi.useRealTimers();
    restore();
    await issuer.close();
  });

  const now = () => Math.floor(services().clock.now() / 1000);
  const good = () => claimsFor(newEmail(), now());
  const goodToken = () => signed(key, good());
  const unsigned = (alg?: string) => `${encoded({ alg, typ: 'JWT', kid: key.kid })}.${encoded(good())}.`;
  const hmac = (secret: string) => {
    const text = `${encoded({ alg: 'HS256', typ: 'JWT', kid: key.kid })}.${encoded(good())}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const withClaims = (claims: Record<string, unknown>) => signed(key, { ...good(), ...claims });
  const without = (name: string) => withClaims({ [name]: undefined });

  it('is accepted with either spelling of the issuer and a clock difference of up to a minute', async () => {
    const email = newEmail();
    const claims = claimsFor(email, now());
    const tokens = [
      { ...claims, jti: 1 },
      { ...claims, jti: 2, iss: 'accounts.google.com' },
      { ...claims, jti: 3, iat: now() + 45 },
      { ...claims, jti: 4, iat: now() - 3600, exp: now() - 45 },
      { ...claims, jti: 5, email_verified: 'true' },
    ];
    const responses = await Promise.all(tokens.map((token) => google(signed(key, token))));
    expect([...codesOf(responses)]).toEqual(['200 LOGIN_SUCCESS']);
    expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1);
  });

  it.each<[string, () => string]>([
    ['alg none', () => unsigned('none')],
    ['alg None', () => unsigned('None')],
    ['no alg', () => unsigned()],
    ['HS256 with the public key in PEM as the secret', () => hmac(key.publicPem)],
    ['HS256 with the public key in JWK as the secret', () => hmac(JSON.stringify(key.publicJwk))],
    ['a foreign key under a known name', () => signed(foreign, good(), { kid: key.kid })],
    ['a foreign key under a name of its own', () => signed(foreign, good())],
    ['a foreign key under no name', () => signed(foreign, good(), { kid: undefined })],
    ['a foreign key that it brings along', () => signed(foreign, good(), { kid: undefined, jwk: foreign.publicJwk })],
    ['a foreign key at an address that it names', () => signed(foreign, good(), { jku: `${issuer.url}/theirs` })],
    ['a payload that was changed', () => goodToken().replace(/\.[^.]+\./, `.${encoded(good())}.`)],
    ['a signature cut short', () => goodToken().slice(0, -10)],
    ['a critical extension nobody knows', () => signed(key, good(), { crit: ['x'], x: 1 })],
    ['another audience', () => withClaims({ aud: 'client-2.apps.googleusercontent.com' })],
    ['no audience', () => without('aud')],
    ['another issuer', () => withClaims({ iss: 'https://accounts.google.com.evil.example' })],
    ['no issuer', () => without('iss')],
    ['a time that is over', () => withClaims({ iat: now() - 7200, exp: now() - 75 })],
    ['no end', () => without('exp')],
    ['an issue in the future', () => withClaims({ iat: now() + 75, exp: now() + 3600 })],
    ['no issue', () => without('iat')],
    ['a beginning in the future', () => withClaims({ nbf: now() + 75 })],
    ['an address not verified', () => withClaims({ email_verified: false })],
    ['an address verified by word', () => withClaims({ email_verified: 'false' })],
    ['an address verified by number', () => withClaims({ email_verified: 1 })],
    ['nothing on whether the address is verified', () => without('email_verified')],
    ['no subject', () => without('sub')],
    ['an empty subject', () => withClaims({ sub: '' })],
    ['no address', () => without('email')],
    ['an address that is none', () => withClaims({ email: 'ada' })],
    ['three words', () => 'x.y.z'],
    ['three dots', () => '...'],
    ['one word', () => 'token'],
    ['a payload that is no JSON', () => goodToken().replace(/\.[^.]+\./, '.bm8.')],
    ['letters that are not ASCII', () => `é${goodToken()}`],
  ])('with %s is refused and stores nothing', async (_, make) => {
    const before = await rowsOf('accounts');
    const response = await google(make());
    expect(code(response)).toBe('401 INVALID_IDENTITY_TOKEN');
    expect(response.headers.getSetCookie()).toEqual([]);
    // Expired rows may be deleted in between.
    expect(before).toEqual(expect.arrayContaining(await rowsOf('accounts')));
    expect(issuer.fetches()).toBeLessThanOrEqual(1);
  });

  it('is accepted once, whatever the spelling of its signature', async () => {
    const token = goodToken();
    expect(code(await google(token))).toBe('200 LOGIN_SUCCESS');
    // The last of 342 characters contains four unused bits.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.at(-1)!);
    const spellings = times(15, (bits) => token.slice(0, -1) + alphabet[last + bits + 1]);
    const responses = await Promise.all([...spellings, `${token}=`, `${token}==`].map((text) => google(text)));
    expect([...codesOf(responses)]).toEqual(['401 INVALID_IDENTITY_TOKEN']);
  });

  it('fetches the keys at most once a minute, however many tokens name unknown keys', async () => {
    const flood = async () =>
      Promise.all(times(50, (kid) => google(signed(foreign, good(), { kid: `nobody-${kid}` }))));
    for (const _ of [1, 2]) expect([...codesOf(await flood())]).toEqual(['401 INVALID_IDENTITY_TOKEN']);
    expect(issuer.fetches()).toBe(1);
    expect(code(await google(goodToken()))).toBe('200 LOGIN_SUCCESS');
    vi.setSystemTime(Date.now() + 61_000);
    expect([...codesOf(await flood())]).toEqual(['401 INVALID_IDENTITY_TOKEN']);
    expect(issuer.fetches()).toBe(2);
  });

  it('is accepted with a new key and rejected with a withdrawn one a minute after the last fetch', async () => {
    expect(code(await google(goodToken()))).toBe('200 LOGIN_SUCCESS');
    issuer.publish(foreign);
    vi.setSystemTime(Date.now() + 61_000);
    expect(code(await google(signed(foreign, good())))).toBe('200 LOGIN_SUCCESS');
    expect(code(await google(goodToken()))).toBe('401 INVALID_IDENTITY_TOKEN');
    expect(issuer.fetches()).toBe(2);
  });

  it.each(['failing', 'garbled', 'misshapen', 'silent', 'endless', 'redirecting'] as const)(
    'returns 503 with Retry-After while the provider is %s, and succeeds after its recovery',
    async (mood) => {
      issuer.become(mood);
      const token = goodToken();
      const response = await google(token);
      expect([code(response), response.headers.get('retry-after')]).toEqual(['503 SERVICE_UNAVAILABLE', '5']);
      issuer.become('serving');
      expect(code(await google(token))).toBe('200 LOGIN_SUCCESS');
    },
  );

  it('returns 503 while the provider is unreachable, unless its key is cached', async () => {
    expect(code(await google(goodToken()))).toBe('200 LOGIN_SUCCESS');
    await issuer.close();
    expect(code(await google(goodToken()))).toBe('200 LOGIN_SUCCESS');
    vi.setSystemTime(Date.now() + 61_000);
    expect(code(await google(signed(foreign, good())))).toBe('503 SERVICE_UNAVAILABLE');
    expect(code(await google(goodToken()))).toBe('200 LOGIN_SUCCESS');
  });

  it('is refused if Google sign-in is not configured', async () => {
    const none = withEnvironment({ IDENTITY_AUDIENCE: '' });
    expect(code(await google(goodToken()))).toBe('401 INVALID_IDENTITY_TOKEN');
    none();
  });
});
