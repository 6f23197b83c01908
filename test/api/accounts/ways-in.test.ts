import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { deviceOf } from '#test/requests/accounts/auth-calls.ts';
import { emailChangeCalls } from '#test/requests/accounts/email-change.ts';
import { type ApiResponse, cookieOf, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

const { post, me, login, reset, requested, confirm, links, identityToken, resetToken } = emailChangeCalls(
  () => service,
);

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
