import { describe, expect, it } from 'vitest';
import { emailChangeCalls, newAddress } from '#test/requests/accounts/email-change.ts';
import { code, cookieOf, useTestService } from '#test/service/service.ts';

const service = useTestService();

const { post, me, login, advance, identityToken } = emailChangeCalls(() => service);

interface Owner {
  readonly email: string;
  readonly cookie: string;
}

/** Requests that require proof of the account's owner, without that proof. */
const requests: Readonly<Record<string, (owner: Owner) => readonly [path: string, body: object]>> = {
  'a change of the email address': () => ['email-change', { email: newAddress() }],
  'a change of the password': () => ['change-password', { newPassword: 'another river bank' }],
  'deletion of the account': ({ email }) => ['delete-account', { email }],
};
const routes = Object.keys(requests);
const passwordField = (path: string) => (path === 'change-password' ? 'currentPassword' : 'password');

async function send(route: string, owner: Owner, proof: object = {}) {
  const [path, body] = requests[route]!(owner);
  return post(path, { ...body, ...proof }, owner.cookie);
}

/** An account without a password. */
async function googleUser(): Promise<Owner> {
  const email = newAddress();
  return { email, cookie: cookieOf(await post('google', { token: await identityToken(email) })) };
}

describe('a session alone', () => {
  it.each(routes)(
    'does not authorize %s, regardless of its age and of whether the account has a password',
    async (route) => {
      const [person, guest] = [await service.person(), await googleUser()];
      const refused = [await send(route, person), await send(route, guest)];
      expect(refused.map(code)).toEqual(['401 INVALID_CREDENTIALS', '401 INVALID_CREDENTIALS']);
      expect(refused[0]!.body.detail).toBe(
        'Send the current password, or the token of a new Google sign-in as identityToken.',
      );
      expect(refused[1]!.body.detail).toBe(
        'The account has no password; sign in with Google again and send the new token as identityToken.',
      );
      expect([(await me(person.cookie)).status, (await me(guest.cookie)).status]).toEqual([200, 200]);
    },
  );

  it.each(routes)('does not authorize %s with a wrong password', async (route) => {
    const person = await service.person();
    const [path] = requests[route]!(person);
    const wrong = await send(route, person, { [passwordField(path)]: 'not the password' });
    expect(code(wrong)).toBe('401 INVALID_CREDENTIALS');
    const guest = await googleUser();
    const none = await send(route, guest, { [passwordField(path)]: 'not the password' });
    expect(code(none)).toBe('401 INVALID_CREDENTIALS');
  });
});

describe('the current password', () => {
  it.each(routes)('authorizes %s on the last day of a session', async (route) => {
    const person = await service.person();
    const [path] = requests[route]!(person);
    await advance('PT11H');
    expect((await send(route, person, { [passwordField(path)]: person.password })).status).toBe(200);
  });
});

describe('a new identity token', () => {
  it.each(routes)('authorizes %s, once', async (route) => {
    const guest = await googleUser();
    const token = await identityToken(guest.email);
    const first = await send(route, guest, { identityToken: token });
    expect(first.status).toBe(200);
    const cookie = first.headers.getSetCookie().length > 0 ? cookieOf(first) : guest.cookie;
    const again = await send(route, { ...guest, cookie }, { identityToken: token });
    expect(again.status).toBe(401);
  });

  it.each(routes)(
    'does not authorize %s if it was used to sign in, is 11 minutes old, or belongs to another account',
    async (route) => {
      const guest = await googleUser();
      const [used, old] = [await identityToken(guest.email), await identityToken(guest.email)];
      await post('google', { token: used });
      await advance('PT11M');
      const others = await identityToken(newAddress());
      const refused = [];
      for (const token of [used, old, others, 'junk']) refused.push(await send(route, guest, { identityToken: token }));
      expect(refused.map(code)).toEqual(Array.from({ length: 4 }, () => '401 INVALID_IDENTITY_TOKEN'));
      expect(refused.slice(1, 3).map(({ body }) => body.detail)).toEqual([
        'identityToken must be at most 10 minutes old; sign in with Google again.',
        'identityToken must be for a linked Google account; sign in with Google again.',
      ]);
      expect((await me(guest.cookie)).status).toBe(200);
    },
  );

  it('authorizes the first password of an account', async () => {
    const guest = await googleUser();
    await send('a change of the password', guest, { identityToken: await identityToken(guest.email) });
    expect(code(await login(guest.email, 'another river bank'))).toBe('200 LOGIN_SUCCESS');
  });

  it('authorizes changes to an account with a password once Google is linked to it', async () => {
    const person = await service.person();
    const unlinked = await send('deletion of the account', person, {
      identityToken: await identityToken(person.email),
    });
    expect(code(unlinked)).toBe('401 INVALID_IDENTITY_TOKEN');
    const linked = await post('google', { token: await identityToken(person.email) }, person.cookie);
    const proof = { identityToken: await identityToken(person.email) };
    expect((await send('deletion of the account', { ...person, cookie: cookieOf(linked) }, proof)).status).toBe(200);
  });
});
