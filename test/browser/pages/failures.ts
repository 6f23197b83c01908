import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { eventually, goTo, heading, log, member, open, press, refuse, say, service, shows, signIn } from '../stage.ts';

export function failureTests(): void {
  test('an unreachable service is reported, and a retry helps', async () => {
    const { page } = await member('/keys');
    await shows(page, 'Your keys');
    await page.route('**/api/**', (route) => route.abort());
    await goTo(page, 'Plans');
    await shows(page, /^Can't reach the server/);
    await page.unroute('**/api/**');
    await press(page, 'Retry');
    await shows(page, 'SMME Pass');
  });

  test('a 402 shows a sentence and a link to the plans', async () => {
    const { page } = await member('/playground', { credits: 0 });
    await say(page, 'Hello');
    await shows(page, /^You're out of credits\./);
    await page.route('**/v1/chat/completions', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      await route.fulfill({ response, json: { ...body, detail: body.detail.replace(/\b0 left/, '0.8836 left') } });
    });
    await say(page, 'Hello');
    await shows(page, /^Not enough credits\. .*0\.8836/);
    await page.getByRole('link', { name: 'View plans' }).click();
    await heading(page, 'Plans');
  });

  test('a rate limit shows the wait and plans with a higher limit', async () => {
    const { page, person } = await member('/playground');
    const call = () => service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    const lane = async () => {
      for (let calls = 0; calls < 4; calls++) await call();
    };
    await Promise.all([lane(), lane(), lane()]);
    await say(page, 'Hello');
    await shows(page, /Retry in \d+ s\./);
    expect(await page.getByRole('link', { name: 'View plans with a higher limit' }).getAttribute('href')).toBe(
      '/plans',
    );
  });

  test('too many passwords show one countdown and a link to reset, without plans', async () => {
    const { email } = await service.person();
    const page = await open('/login');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    for (let guesses = 0; guesses < 5; guesses++)
      await service.call('POST', '/api/auth/login', { body: { email, password: `not this ${guesses}` } });
    await press(page, 'Sign in');
    const notice = page.getByRole('status').filter({ hasText: 'Too many attempts' });
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/^Too many attempts\. Try again in \d+ s, or reset your password\.$/);
    await notice.getByRole('link', { name: 'reset your password' }).click();
    await heading(page, 'Forgot password?');
  });

  test('a refusal that no plan lifts offers none', async () => {
    const { page } = await member('/keys?new');
    const refusal = { status: 403, message: 'INSUFFICIENT_PERMISSIONS', detail: 'The account is suspended.' };
    await refuse(page, '**/api/keys', refusal, 'POST');
    await page.getByLabel('Name').fill('shop');
    await press(page, /^Create$/);
    await shows(page, 'The account is suspended.');
    expect(await page.getByRole('link', { name: /plan/i }).allTextContents()).not.toContain('Compare plans');
  });

  test('an expired session leads to the sign-in page and back', async () => {
    const { page, person } = await member('/settings');
    await page.getByLabel('Name').fill('Too late');
    // The page's own requests would also detect it, before the button is pressed.
    await page.waitForLoadState('networkidle');
    await service.call('POST', '/api/auth/logout', { cookie: person.cookie });
    await press(page, /^Save$/);
    await shows(page, 'Your session has expired. Sign in again.');
    await signIn(page, person);
    await heading(page, 'Settings');
  });

  test('a failed model call costs nothing and can be retried', async () => {
    const { page } = await member('/playground');
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error', count: 3 });
    await say(page, 'Hello');
    await page.getByRole('alert').waitFor();
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'none' });
    await press(page, 'Retry');
    await eventually(() => log(page).textContent()).toContain('This is the built-in demo engine');
  });

  test('an unconfirmed account sees the remedy, and resending the email detects an expired session', async () => {
    const person = await service.registered();
    const page = await open('/playground', person);
    await say(page, 'early');
    await shows(page, /^Confirm your email first/);
    await page.goto('/');
    await shows(page, new RegExp(`Open the link sent to ${person.email}`));
    await page.getByRole('button', { name: 'resend the email' }).waitFor();
    // The page's own requests would also detect it, before the button is pressed.
    await page.waitForLoadState('networkidle');
    await service.call('POST', '/api/auth/logout', { cookie: person.cookie });
    await press(page, 'resend the email');
    await shows(page, 'Your session has expired. Sign in again.');
  });
}
