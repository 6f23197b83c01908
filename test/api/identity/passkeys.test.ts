import { afterEach, describe, expect, it, vi } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { times } from '#test/many.ts';
import { setCookies, wrong } from '#test/requests/accounts/auth-calls.ts';
import { authenticator, type Claims } from '#test/requests/accounts/authenticator.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { factorCalls } from '#test/requests/accounts/second-factor.ts';
import { code, cookieOf, useTestService } from '#test/service/service.ts';

const service = useTestService();
const { post, me, login, advance, resetToken, enrolled, options, verify, passkeys, withPasskey } = factorCalls(
  () => service,
);
const ownDevice = () => authenticator(service.origin.replace('127.0.0.1', 'localhost'));
const remove = (id: string, cookie: string, body: object = {}) =>
  service.call('DELETE', `/api/auth/passkeys/${id}`, { cookie, body });
const nothing = { items: [], nextCursor: null };

/** CBOR of a statement with a chain of certificates, as "packed" attestations may have. */
const chained = Buffer.from('63666d74667061636b65646761747453746d74a163783563814101', 'hex');

afterEach(() => vi.restoreAllMocks());

describe('a passkey', () => {
  it('is added with a name, listed, and signs in alone', async () => {
    const person = await service.person();
    const created = await options(person.cookie);
    expect(created).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: person.email },
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    });
    const { device, added, cookie } = await withPasskey(person);
    expect(added.body.data).toEqual({
      id: expect.any(String),
      name: 'Laptop',
      createdAt: expect.any(String),
      lastUsedAt: null,
    });
    const request = await options();
    expect(request).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'localhost',
      timeout: 300_000,
      userVerification: 'required',
    });
    const entered = await verify(device.assert(request));
    expect(entered.body.data).toMatchObject({ id: person.id, email: person.email, isSubscribe: false });
    expect((await me(cookieOf(entered))).status).toBe(200);
    expect((await passkeys(cookie)).body.data.items).toEqual([
      { ...added.body.data, lastUsedAt: expect.stringMatching(/^\d{4}-/) },
    ]);
  });

  it('satisfies the second factor, because it verifies the user', async () => {
    const { device } = await withPasskey(await enrolled());
    expect(code(await verify(device.assert(await options())))).toBe('200 SUCCESS');
  });

  it('is added and removed with an email, and ends all other sessions and reset links', async () => {
    const person = await service.person();
    const [elsewhere, token] = [cookieOf(await login(person.email, person.password)), await resetToken(person.email)];
    const { cookie, device, added } = await withPasskey(person);
    expect([(await me(elsewhere)).status, (await me(person.cookie)).status, (await me(cookie)).status]).toEqual([
      401, 401, 200,
    ]);
    expect(code(await post('reset-password', { token, newPassword: 'another river bank' }))).toBe('400 INVALID_TOKEN');
    const entered = cookieOf(await verify(device.assert(await options())));
    const removed = await remove(added.body.data.id, cookie);
    expect([code(removed), (await me(entered)).status, (await me(cookieOf(removed))).status]).toEqual([
      '200 SUCCESS',
      401,
      200,
    ]);
    expect(code(await verify(device.assert(await options())))).toBe(wrong);
    expect((await passkeys(cookieOf(removed))).body.data).toEqual(nothing);
    const subjects = (await mailsTo(service, person.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject.includes('passkey'))).toEqual([
      'A passkey was removed',
      'A passkey was added',
    ]);
  });

  it('is added and removed in a session of the last 10 minutes, or with a proof of the owner', async () => {
    const person = await service.person();
    const { added, cookie } = await withPasskey(person);
    const { id } = added.body.data;
    await advance('PT11M');
    const { password } = person;
    expect(code(await post('passkeys/options', {}, cookie))).toBe(wrong);
    expect(code(await remove(id, cookie))).toBe(wrong);
    expect(code(await remove(id, cookie, { password: 'not the password' }))).toBe(wrong);
    expect(code(await post('passkeys/options', { password }, cookie))).toBe('200 SUCCESS');
    expect(code(await remove(id, cookie, { password }))).toBe('200 SUCCESS');
    const factor = await enrolled();
    await advance('PT11M');
    expect(code(await post('passkeys/options', { password: factor.password }, factor.cookie))).toBe(
      '401 SECOND_FACTOR_REQUIRED',
    );
  });

  it('of another account is unknown', async () => {
    const [{ added }, stranger] = [await withPasskey(await service.person()), await service.person()];
    expect(code(await remove(added.body.data.id, stranger.cookie))).toBe('404 NOT_FOUND');
    expect((await passkeys(stranger.cookie)).body.data).toEqual(nothing);
  });

  it('of a deleted account is refused', async () => {
    const person = await service.person();
    const { device, cookie } = await withPasskey(person);
    const { email, password } = person;
    expect((await post('delete-account', { email, password }, cookie)).status).toBe(200);
    expect(code(await verify(device.assert(await options())))).toBe(wrong);
  });

  it('is one of ten at most, even if the store is asked concurrently', async () => {
    const person = await service.person();
    let { cookie } = person;
    for (const name of times(9, String)) ({ cookie } = await withPasskey({ cookie }, name));
    const account = await services().profile().get(person.id);
    const store = await services().passkeyStore();
    // The same time as of the last change, so that only the count refuses.
    const now = account.sessionsValidFrom!;
    const { ofChange } = await services().securityMails();
    const add = (index: number) => {
      const passkey = { credentialId: `id-${index}`, publicKey: Buffer.of(1), signCount: 0, transports: [] };
      const row = { ...passkey, digest: `digest-${index}`, name: 'x', createdAt: now };
      return store.add(account, row, 10, ofChange(account, 'passkey-added'), now);
    };
    const results = await Promise.allSettled(times(20, add));
    const added = results.filter((result) => result.status === 'fulfilled' && result.value === 'added');
    expect([added.length, (await store.list(person.id)).length]).toEqual([1, 10]);
    const entered = cookieOf(await login(person.email, person.password));
    const full = await post('passkeys/options', {}, entered);
    expect([code(full), full.body.detail]).toEqual([
      '409 INVALID_STATE',
      'An account has at most 10 passkeys. Remove one first.',
    ]);
  });
});

describe('a challenge', () => {
  it('works once, even of 5 concurrent responses, and for 5 minutes', async () => {
    const { device } = await withPasskey(await service.person());
    const request = await options();
    const responses = times(5, () => device.assert(request));
    const all = await Promise.all(responses.map((response) => verify(response)));
    expect(all.map(code).toSorted()).toEqual(['200 SUCCESS', wrong, wrong, wrong, wrong]);
    const late = await options();
    await advance('PT5M1S');
    expect(code(await verify(device.assert(late)))).toBe(wrong);
  });

  it('belongs to the account and its sessions, or to a sign-in', async () => {
    const [person, stranger] = [await service.person(), await service.person()];
    const device = ownDevice();
    const own = () => options(person.cookie);
    const token = '400 INVALID_TOKEN';
    expect(code(await verify(device.create(await own()), stranger.cookie))).toBe(token);
    expect(code(await verify(device.create(await options()), person.cookie))).toBe(token);
    const before = await own();
    const { device: added, cookie } = await withPasskey(person);
    expect(code(await verify(device.create(before), cookie))).toBe(token);
    expect(code(await verify(added.assert(await options(cookie))))).toBe(wrong);
    expect(code(await verify(device.create(await options(cookie))))).toBe(wrong);
  });
});

describe('a hostile response', () => {
  it.each<[string, Claims]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['another ceremony', { type: 'webauthn.get' }],
    ['an unknown challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['a user who was not verified', { flags: 64 + 1 }],
    ['no key', { flags: 1 + 4 }],
    ['a chain of certificates', { attestation: chained }],
    ['a statement that is no CBOR', { attestation: Buffer.of(0xff, 0xff) }],
  ])('to a new passkey with %s adds nothing', async (_, claims) => {
    const fetched: string[] = [];
    const { fetch } = globalThis;
    vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      fetched.push(new Request(input).url);
      return fetch(input, init);
    });
    const person = await service.person();
    const device = ownDevice();
    const refused = await verify(device.create(await options(person.cookie), claims), person.cookie);
    expect(['400 INVALID_FORMAT', '400 INVALID_TOKEN']).toContain(code(refused));
    expect((await passkeys(person.cookie)).body.data).toEqual(nothing);
    expect(fetched.filter((url) => !url.startsWith(service.origin))).toEqual([]);
    expect(setCookies(refused)).toEqual([]);
  });

  it.each<[string, Claims]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['another ceremony', { type: 'webauthn.create' }],
    ['an unknown challenge', { challenge: 'x' }],
    ['a user who was not verified', { flags: 1 }],
    ['a counter that does not rise', { counter: 1 }],
    ["a stranger's handle", { userHandle: 'AAAAAAAAAAE' }],
    ['no handle', { userHandle: '' }],
  ])('to a sign-in with %s opens no session', async (_, claims) => {
    const { device } = await withPasskey(await service.person());
    const refused = await verify(device.assert(await options(), claims));
    expect([code(refused), setCookies(refused)]).toEqual([wrong, []]);
    expect(code(await verify(device.assert(await options())))).toBe('200 SUCCESS');
  });

  it('with a signature of another key is refused', async () => {
    const { device } = await withPasskey(await service.person());
    const request = await options();
    const { response, ...own } = device.assert(request);
    const foreign = ownDevice().assert(request).response;
    const refused = await verify({ ...own, response: { ...response, signature: foreign.signature } });
    expect(code(refused)).toBe(wrong);
  });

  it('that is deeply nested CBOR returns 400', async () => {
    const { cookie } = await service.person();
    const { response, ...own } = ownDevice().create(await options(cookie));
    const attestationObject = Buffer.alloc(6000, 0x81).toString('base64url');
    expect(code(await verify({ ...own, response: { ...response, attestationObject } }, cookie))).toBe(
      '400 INVALID_FORMAT',
    );
  });

  it.each([{}, { id: 5 }, { id: '%', rawId: '', type: 'x' }, { response: [] }])('%j returns 400', async (body) => {
    expect(code(await verify(body))).toBe('400 INVALID_FORMAT');
  });

  it('is refused for a session without a confirmed address', async () => {
    const { cookie } = await service.registered();
    expect(code(await post('passkeys/options', {}, cookie))).toBe('403 ACCOUNT_NOT_CONFIRMED');
  });
});
