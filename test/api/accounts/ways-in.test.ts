import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { deviceOf } from '#test/requests/accounts/auth-calls.ts';
import { emailChangeCalls, newAddress } from '#test/requests/accounts/email-change.ts';
import { type ApiResponse, code, cookieOf, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

const { post, me, login, advance, identityToken, reset, requested, confirm, links, resetToken } = emailChangeCalls(
  () => service,
);

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

/** Each function changes the credentials of a person in their current session and returns the response. */
const changes: Readonly<Record<string, (person: Person) => Promise<ApiResponse>>> = {
  'a change of password': ({ password, cookie }) =>
    post('change-password', { currentPassword: password, newPassword: 'another river bank' }, cookie),
  'a reset of the password': async ({ email }) => reset(await resetToken(email)),
  'a change of the email address': async (person) => {
    const { old, new: fresh } = await requested(person);
    await confirm(fresh);
    return confirm(old, person.cookie);
  },
  'a link to a Google account': async ({ email, cookie }) =>
    post('google', { token: await identityToken(email) }, cookie),
};

/** Each function creates a way into an account and returns a function that tries it. */
const waysIn: Readonly<Record<string, (person: Person) => Promise<() => Promise<boolean>>>> = {
  'a reset link': async ({ email }) => {
    const token = await resetToken(email);
    return async () => (await reset(token, 'a third river bank')).status === 200;
  },
  'a pending change of the email address': async (person) => {
    const { old, new: fresh } = await requested(person);
    return async () => {
      await confirm(fresh);
      return (await confirm(old)).body.data?.status === 'changed';
    };
  },
  'another session': async ({ email, password }) => {
    const cookie = cookieOf(await login(email, password));
    return async () => (await me(cookie)).status === 200;
  },
  'a known device': async ({ email, password }) => {
    const device = deviceOf(await login(email, password)).replace('device=', '');
    return async () => (await services().devices().knownTo(email, device)) !== undefined;
  },
};

const table = Object.keys(changes).flatMap((change) => Object.keys(waysIn).map((way) => [change, way] as const));

describe('a change of credentials', () => {
  it.each(Object.keys(waysIn))('alone ends %s, which works until then', async (way) => {
    const isOpen = await waysIn[way]!(await service.person());
    expect(await isOpen()).toBe(true);
  });

  it.each(table)('(%s) ends %s', async (change, way) => {
    const person = await service.person();
    const isOpen = await waysIn[way]!(person);
    const response = await changes[change]!(person);
    expect(response.status).toBe(200);
    expect(await isOpen()).toBe(false);
  });

  it.each(Object.keys(changes).filter((change) => !change.startsWith('a reset')))(
    '(%s) keeps the current browser signed in as a known device',
    async (change) => {
      const person = await service.person();
      const response = await changes[change]!(person);
      const { status, body } = await me(cookieOf(response));
      expect(status).toBe(200);
      const device = deviceOf(response).replace('device=', '');
      expect(await services().devices().knownTo(body.data.email, device)).toBeDefined();
    },
  );

  it('cancels a reset link that was requested before and is not yet issued', async () => {
    const { email, password, cookie } = await service.person();
    await service.settled();
    // Requested, but not yet issued: the job that issues the link runs after the change.
    const before = services().clock.now() - 1;
    const id = `late-${before}`;
    const { passwordStore } = await import('#repositories/accounts/passwords.ts');
    const { dynamoClient } = await import('#runtime/services/dynamo-client.ts');
    const changed = await post(
      'change-password',
      { currentPassword: password, newPassword: 'another river bank' },
      cookie,
    );
    expect(changed.status).toBe(200);
    await passwordStore(dynamoClient(), process.env['ACCOUNTS_TABLE'] ?? '').requestReset(id, {
      email,
      isFurther: false,
      requestedAt: before,
    });
    expect(await links(email)).toEqual([]);
    expect(await resetToken(email)).toMatch(/^tar_/);
  });
});
