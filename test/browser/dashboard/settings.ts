import { expect, test } from 'vitest';
import { emailChangeCalls, newAddress } from '#test/requests/accounts/email-change.ts';
import { tokenIn } from '#test/requests/accounts/inbox.ts';
import { expectFits, expectReadable, findings, looksWell } from '../pages/findings.ts';
import { eventually, heading, member, open, phone, press, saved, service, shows } from '../stage.ts';

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';

export function settingsTests(): void {
  const calls = emailChangeCalls(() => service);

  test('show the signed-in devices, and end one session or all others', async () => {
    const person = await service.person();
    for (const userAgent of [firefox, 'curl/8.14.1', '<img src=x onerror=alert(1)>'])
      await service.call('POST', '/api/auth/login', { body: person, headers: { 'user-agent': userAgent } });
    const page = await open('/settings', person);
    const sessions = page.getByRole('region', { name: 'Sessions' });
    await sessions.getByText('Firefox on Windows').waitFor();
    await sessions.getByText('Unknown device').waitFor();
    expect(await sessions.getByText('This machine').count()).toBe(4);
    expect(await sessions.getByText('This session').count()).toBe(1);
    await looksWell(page, 'settings-sessions');
    await sessions.getByRole('button', { name: /^Sign out Firefox on Windows/ }).click();
    await shows(page, 'Session signed out.');
    await eventually(() => sessions.getByText('Firefox on Windows').count()).toBe(0);
    await press(page, 'Sign out all others');
    await shows(page, 'All other sessions signed out.');
    await eventually(() => sessions.getByRole('button').count()).toBe(0);
    await page.reload();
    await sessions.getByText('This session').waitFor();
  });

  test('save everything that is stored about the account in one file', async () => {
    const { page, person } = await member('/settings');
    const { name, bytes } = await saved(page, 'Download your data');
    expect(name).toMatch(/^account-\d{4}-\d\d-\d\d\.jsonl$/);
    const lines = bytes.toString().trim().split('\n');
    await shows(page, `Your data was saved: ${lines.length} items.`);
    const items = lines.map((line): { kind: string; data: Record<string, unknown> } => JSON.parse(line));
    expect(items[0]).toMatchObject({ kind: expect.any(String) });
    expect(items.find(({ kind }) => kind === 'account')?.data).toMatchObject({ id: person.id, email: person.email });
    expect(items.some(({ kind }) => kind === 'credits')).toBe(true);
    await looksWell(page, 'settings-export');
  });

  test('change the email after both links are confirmed, in any browser', async () => {
    const { page, person } = await member('/settings');
    const email = newAddress();
    await press(page, 'Change email');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New email').fill(person.email);
    await dialog.getByLabel('Password', { exact: true }).fill('not the password');
    await press(page, 'Send links');
    await shows(page, /^New email must differ from the current address/);
    await dialog.getByLabel('New email').fill(email);
    await press(page, 'Send links');
    await shows(page, 'Incorrect password');
    await dialog.getByLabel('Password', { exact: true }).fill(person.password);
    await press(page, 'Send links');
    await shows(page, `Links sent to ${person.email} and ${email}.`);
    await shows(page, `${person.email}: waiting`);
    await shows(page, `${email} (new): waiting`);
    await expectReadable(page, 'email-change-pending');

    const token = tokenIn(await calls.mailOf(email, 'new'));
    const other = await open(`/email-change?token=${token}`, undefined, phone);
    await eventually(() => other.url()).not.toContain('token');
    await expectFits(other, 'email-change-link');
    await press(other, 'Confirm change');
    await shows(other, /^Now open the link we sent to the current email/);
    await page.reload();
    await shows(page, `${email} (new): confirmed`);

    await page.goto(`/email-change?token=${tokenIn(await calls.mailOf(person.email, 'old'))}`);
    await press(page, 'Confirm change');
    await heading(page, 'Email changed');
    await page.getByRole('link', { name: 'Continue' }).click();
    await shows(page, email);
    await page.goto('/settings');
    await page.getByRole('region', { name: 'Email' }).getByText(email).waitFor();
    expect(await page.getByText('waiting').count()).toBe(0);
  });

  test('cancel a pending email change, and a link in the email rejects it', async () => {
    const person = await service.person();
    const first = await calls.requested(person);
    const page = await open('/settings', person);
    await press(page, 'Cancel change');
    await shows(page, 'Email change cancelled.');
    await eventually(() => page.getByText('waiting').count()).toBe(0);
    await page.goto(`/email-change?token=${first.old}`);
    await press(page, 'Confirm change');
    await shows(page, /^The link has expired, was replaced/);
    const second = await calls.requested(person);
    await page.goto(`/email-change?token=${second.old}`);
    await press(page, 'This wasn’t me');
    await heading(page, 'Email change rejected');
    expect(await findings(page)).toEqual([]);
  });

  test('ask a user without a password to confirm with Google before an email change or an account deletion', async () => {
    const email = newAddress();
    const { token } = await service.post('/_local/identity-token', { email, name: 'Gina' });
    const response = await service.call('POST', '/api/auth/google', { body: { token } });
    const page = await open('/settings', { cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' });
    await shows(page, /^You sign in with Google and have no password/);
    await press(page, 'Change email');
    await page.getByRole('dialog').getByLabel('New email').fill(newAddress());
    await press(page, 'Send links');
    await shows(page, 'Confirm with Google first');
    const confirmAs = async (address: string) => {
      await press(page, 'Confirm with Google');
      const google = page.getByRole('dialog').last();
      await google.getByLabel('Email', { exact: true }).fill(address);
      await google.getByLabel('Name').fill('Gina');
      await google.getByRole('button', { name: 'Continue', exact: true }).click();
      await shows(page, 'Confirmed with Google.');
    };
    await confirmAs(newAddress());
    await press(page, 'Send links');
    await shows(page, 'Google did not confirm this account. Try again.');
    await confirmAs(email);
    await press(page, 'Send links');
    await shows(page, /^Links sent to /);
    await press(page, 'Delete account');
    await page.getByRole('dialog').getByLabel('Type your email to confirm').fill(email);
    await confirmAs(email);
    await press(page, 'Delete account permanently');
    await eventually(() => page.url()).toContain('/login?deleted');
  });

  test('switch an email off, and keep it off after a reload, on a phone too', async () => {
    const { page } = await member('/settings#emails', {}, phone);
    const renewals = page.getByRole('switch', { name: /^Renewals/ });
    await renewals.click();
    await shows(page, 'Renewals: emails are off.');
    await page.reload();
    await eventually(() => renewals.isChecked()).toBe(false);
    expect(await page.getByRole('switch', { name: /^Receipts/ }).isChecked()).toBe(true);
    await expectFits(page, 'email-preferences');
  });
}
