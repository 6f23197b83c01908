import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

export function failureTests(stage: () => Stage): void {
  test('a service that cannot be reached is shown, and a retry helps', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/keys');
    await shows(page, 'Your keys');
    await page.route('**/api/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Plans', exact: true }).click();
    await shows(page, /^Can't reach the server/);
    await page.unroute('**/api/**');
    await press(page, 'Retry');
    await shows(page, 'SMME Pass');
  });

  test('credits used up: a sentence, and the way to the plans', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person({ credits: 0 }));
    await page.goto('/playground');
    await page.getByLabel('Your message').fill('Hello');
    await press(page, 'Send');
    await shows(page, /^You're out of credits\./);
    await page.route('**/v1/chat/completions', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const detail = body.detail.replace(/\b0 left/, '0.8836 left');
      await route.fulfill({ response, json: { ...body, detail } });
    });
    await page.getByLabel('Your message').fill('Hello');
    await press(page, 'Send');
    await shows(page, /^Not enough credits\. .*0\.8836/);
    await page.getByRole('link', { name: 'View plans' }).click();
    await page.getByRole('heading', { name: 'Plans', exact: true }).waitFor();
  });

  test('too many calls: how long to wait, and plans with a higher limit', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const { key } = person;
    await Promise.all(
      [1, 2, 3].map(async () => {
        for (let calls = 0; calls < 4; calls++)
          await service.call('POST', '/v1/chat/completions', { key, body: chat() });
      }),
    );
    const page = await visit(person);
    await page.goto('/playground');
    await page.getByLabel('Your message').fill('Hello');
    await press(page, 'Send');
    await shows(page, /Retry in \d+ s\./);
    expect(await page.getByRole('link', { name: 'View plans with a higher limit' }).getAttribute('href')).toBe(
      '/plans',
    );
  });

  test('too many passwords: one countdown and the way to a new one, and no plan', async () => {
    const { service, visit, shoot } = stage();
    const { email } = await service.person();
    const page = await visit();
    await page.goto('/login');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    for (let guesses = 0; guesses < 5; guesses++)
      await service.call('POST', '/api/auth/login', { body: { email, password: `not this ${guesses}` } });
    await press(page, 'Sign in');
    const notice = page.getByRole('status').filter({ hasText: 'Too many attempts' });
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/^Too many attempts\. Try again in \d+ s, or reset your password\.$/);
    await shoot(page, 'sign-in-throttled');
    await notice.getByRole('link', { name: 'reset your password' }).click();
    await page.getByRole('heading', { name: 'Forgot password?' }).waitFor();
  });

  test('a refusal that no plan lifts offers none', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person());
    await page.route('**/api/keys', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 403,
            json: {
              error: true,
              message: 'INSUFFICIENT_PERMISSIONS',
              detail: 'The account is suspended.',
              status: 403,
              data: null,
            },
          })
        : route.continue(),
    );
    await page.goto('/keys?new');
    await page.getByLabel('Name').fill('shop');
    await press(page, /^Create$/);
    await shows(page, 'The account is suspended.');
    expect(await page.getByRole('link', { name: /plan/i }).allTextContents()).not.toContain('Compare plans');
  });

  test('a session that ended leads to the sign-in page, and back to where one was', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(person);
    await page.goto('/settings');
    await page.getByLabel('Name').fill('Too late');
    // What the page reads by itself would notice it too, before anything is pressed.
    await page.waitForLoadState('networkidle');
    await service.call('POST', '/api/auth/logout', { cookie: person.cookie });
    await press(page, /^Save$/);
    await shows(page, 'Your session has expired. Sign in again.');
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await press(page, 'Sign in');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  test('an unconfirmed account is shown what to do, wherever it is refused', async () => {
    const { service, visit } = stage();
    const person = await service.registered();
    const page = await visit(person);
    await page.goto('/keys?new');
    await page.getByLabel('Name').fill('early');
    await press(page, /^Create$/);
    await shows(page, /^Confirm your email first/);
    await page.goto('/');
    await shows(page, new RegExp(`Open the link sent to ${person.email}`));
  });

  test('a call of a model that fails costs nothing and can be retried', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person());
    await page.goto('/playground');
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error', count: 3 });
    await page.getByLabel('Your message').fill('Hello');
    await press(page, 'Send');
    await page.getByRole('alert').waitFor();
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'none' });
    await press(page, 'Retry');
    await eventually(() => page.getByRole('log').textContent()).toContain('This is the built-in demo engine');
  });

  test('a session that ended is noticed by every request, also one that sends a mail again', async () => {
    const { service, visit } = stage();
    const person = await service.registered();
    const page = await visit(person);
    await page.goto('/keys?new');
    await page.getByLabel('Name').fill('early');
    await press(page, /^Create$/);
    await shows(page, /^Confirm your email first/);
    await page.goto('/');
    await page.getByRole('button', { name: 'resend the email' }).waitFor();
    // What the page requests by itself would notice it too, before anything is pressed.
    await page.waitForLoadState('networkidle');
    await service.call('POST', '/api/auth/logout', { cookie: person.cookie });
    await press(page, 'resend the email');
    await shows(page, 'Your session has expired. Sign in again.');
  });
}
