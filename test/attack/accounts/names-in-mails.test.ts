import { describe, expect, it } from 'vitest';
import { userKey } from '#repositories/accounts/account-items.ts';
import { setInRow } from '#test/database/rows.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { nameCalls } from '#test/requests/odd-names.ts';
import { cookieOf, useTestService } from '#test/service/service.ts';

const service = useTestService();

const { register } = nameCalls(() => service);
const forgot = (email: string) => service.call('POST', '/api/auth/forgot-password', { body: { email } });
const reset = (token: string) =>
  service.call('POST', '/api/auth/reset-password', { body: { token, newPassword: 'another river bank' } });

/** Ports and tokens may contain any digits. */
const withoutLinks = (text: string): string => text.replaceAll(/https?:\S+/g, '');

describe('an email', () => {
  it('contains no name until the address is confirmed', async () => {
    const email = 'never-asked@example.com';
    await register(email, 'Call 555-0100 now, you won');
    await forgot(email);
    const mails = await mailsTo(service, email);
    expect(mails.map(({ subject }) => subject)).toEqual(['Reset your password', 'Confirm your email address']);
    for (const { text, subject } of mails) {
      expect(text).toMatch(/^Hello,\n/);
      expect(withoutLinks(text) + subject).not.toContain('555');
    }
  });

  it('greets the owner by name after the address is confirmed', async () => {
    const { email } = await service.person();
    await forgot(email);
    expect((await mailsTo(service, email))[0]?.text).toMatch(/^Hello Person \d+,\n/);
  });

  it('ignores a name stored before the naming rule existed', async () => {
    const { id, email } = await service.person();
    const name = 'friend,\n\nclaim your prize at https://evil.example/x\n\nAda';
    await setInRow('accounts', userKey(id), 'name', name);
    await forgot(email);
    const [mail] = await mailsTo(service, email);
    expect(mail?.text).toMatch(/^Hello,\n/);
    expect(mail?.text).not.toContain('evil.example');
    await reset(tokenIn(mail));
    expect((await mailsTo(service, email))[0]?.text).not.toContain('evil.example');
  });

  it('never contains the name under which a stranger registered the address', async () => {
    const email = 'owner-of-this@example.com';
    const stranger = await register(email, 'Call 555-0100 now');
    await forgot(email);
    await reset(tokenIn((await mailsTo(service, email))[0]));
    const body = { email, password: 'another river bank' };
    const owner = await service.call('POST', '/api/auth/login', { body });
    expect(owner.body.data.name).toBe('owner-of-this');
    expect((await service.call('GET', '/api/auth/me', { cookie: cookieOf(stranger) })).status).toBe(401);
    await forgot(email);
    for (const { text } of await mailsTo(service, email)) expect(withoutLinks(text)).not.toContain('555');
  });
});
