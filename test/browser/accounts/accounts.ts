import { expect, test } from 'vitest';
import { eventually, goTo, log, member, open, press, service, shows, signIn, visit } from '../stage.ts';

export function accountTests(): void {
  test('lead a new user from registration through the emailed link to a key and a streamed response, within two minutes', async () => {
    const began = performance.now();
    const page = await open('/');
    await page.getByRole('link', { name: 'Create account' }).first().click();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('a quiet river bank');
    await press(page, 'Create account');
    await shows(page, 'Check your inbox');
    await service.mailedToken('ada@example.com');
    await page.getByRole('link', { name: 'Open local inbox' }).click();
    await page.getByRole('link', { name: 'Open link' }).click();
    await shows(page, 'Email confirmed');
    expect(page.url()).not.toContain('token');
    await page.getByRole('link', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('laptop');
    await press(page, /^Create$/);
    const key = (await page.getByLabel('New API key', { exact: true }).textContent())!;
    await press(page, 'Done');
    await goTo(page, 'Overview');
    await shows(page, `${key.slice(0, 17)}…`);
    await goTo(page, 'Playground');
    await page.getByLabel('Your message').fill('Hello');
    await page.getByLabel('Your message').press('Enter');
    await eventually(() => log(page).textContent()).toContain('This is the built-in demo engine');
    await press(page, 'New chat');
    expect(performance.now() - began).toBeLessThan(120_000);
    expect((await service.call('GET', '/v1/models', { key })).status).toBe(200);
  });

  test('are not created with invalid fields: each error is next to its field, as the API words it', async () => {
    const { email } = await service.registered();
    const page = await open('/register');
    const password = page.getByLabel('Password', { exact: true });
    const strength = page.locator('[aria-live=polite]');
    await page.getByLabel('Name').fill('Anna');
    await page.getByLabel('Email').fill('nobody');
    await password.fill('short');
    await press(page, 'Create account');
    await shows(page, 'Enter a valid email address');
    await shows(page, 'Password must have at least 8 characters');
    await page.getByLabel('Email').fill(' anna.quiet@example.com ');
    await password.fill('Anna.Quiet@example.com');
    expect(await strength.textContent()).toMatch(/^Too easy to guess\./);
    await password.fill('password1234');
    await press(page, 'Create account');
    await shows(page, /^Password must not be one of the most common passwords/);
    expect(await strength.textContent()).not.toMatch(/Fair|Good|Strong/);
    await page.getByLabel('Email').fill(email);
    await password.fill('a quiet river bank');
    await press(page, 'Create account');
    await shows(page, 'An account with this email already exists. Sign in instead.');
    expect(await page.evaluate('document.activeElement.dataset.path')).toBe('email');
  });

  test('reject a wrong password, offer one-click sign-in to the demo account, and use the local issuer as Google', async () => {
    const page = await open('/login');
    await signIn(page, { email: 'demo@example.com', password: 'not the password' });
    await page.getByRole('alert').waitFor();
    await press(page, 'Use the demo account');
    await shows(page, 'Hello, Demo');
    const other = await open('/login');
    await press(other, 'Continue with Google');
    const dialog = other.getByRole('dialog');
    await dialog.getByLabel('Email').fill('gina@example.com');
    await dialog.getByLabel('Name').fill('Gina');
    await dialog.getByRole('button', { name: 'Continue', exact: true }).click();
    await shows(other, 'Hello, Gina');
  });

  test('get a new password through the emailed link, whose token disappears from the address bar', async () => {
    const { email } = await service.person();
    const confirmation = await service.mailedToken(email);
    const page = await open('/forgot-password');
    await page.getByLabel('Email').fill(email);
    await press(page, 'Send reset link');
    await shows(page, 'Check your inbox');
    await page.goto(`/reset-password?token=${await service.mailedToken(email, confirmation)}`);
    await eventually(() => page.url()).not.toContain('token');
    await page.getByLabel('New password').fill('another river bank');
    await press(page, 'Change password');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, { email, password: 'another river bank' });
    await shows(page, /^Hello, /);
  });

  test('offer a new confirmation link if one is used or belongs to another account', async () => {
    const page = await open('/confirm?token=tac_wrong', await service.registered());
    await shows(page, /^The confirmation link has expired or was replaced/);
    await press(page, 'resend the email');
    await shows(page, 'Email sent. Earlier links no longer work.');
    const person = await service.registered();
    const { page: others, person: other } = await member(`/confirm?token=${await service.mailedToken(person.email)}`);
    await shows(others, /confirms the account it was sent to: you are signed in as/);
    await shows(others, other.email);
  });

  test('change name and password in the settings, and are deleted', async () => {
    const person = await service.person();
    const page = await open('/settings', person);
    await page.getByLabel('Name').fill('Renamed');
    await press(page, /^Save$/);
    await shows(page, 'Name changed to Renamed.');
    await page.getByLabel('Current password').fill('not it');
    await page.getByLabel('New password').fill('another river bank');
    await press(page, 'Change password');
    await shows(page, 'Incorrect password');
    await page.getByLabel('Current password').fill(person.password);
    await press(page, 'Change password');
    await shows(page, /^Password changed\./);
    await press(page, 'Delete account');
    await page.getByLabel('Type your email to confirm').fill(person.email);
    await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill('another river bank');
    await press(page, 'Delete account permanently');
    await shows(page, /^Your account is deleted/);
    expect((await service.call('GET', '/v1/models', { key: person.key })).status).toBe(401);
  });
}

export function languageTests(): void {
  test('a registration keeps the language of the page, and a choice in the settings changes it', async () => {
    const page = await visit(undefined, { locale: 'de-DE' });
    await page.goto('/register');
    await page.locator('input[autocomplete=name]').fill('Ada');
    await page.locator('input[type=email]').fill('ada.de@example.com');
    await page.locator('input[autocomplete=new-password]').fill('a quiet river bank');
    await page.locator('button[type=submit]').click();
    const language = async () => (await (await page.request.get('/api/auth/me')).json()).data?.language;
    await eventually(language).toBe('de');
    await page.goto('/settings');
    await page.locator('select:has(option[value=ja])').selectOption('ja');
    await page.locator('html[lang=ja]').waitFor();
    await eventually(language).toBe('ja');
  });

  test('a browser without a choice takes that of the account after the sign-in, and keeps its own later', async () => {
    const person = await service.person();
    await service.call('PATCH', '/api/auth/me', { cookie: person.cookie, body: { language: 'es' } });
    const page = await visit();
    await page.goto('/login');
    await signIn(page, person);
    await page.locator('html[lang=es]').waitFor();
    await service.call('PATCH', '/api/auth/me', { cookie: person.cookie, body: { language: 'ar' } });
    await page.goto('/settings');
    await page.locator('h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate('document.documentElement.lang')).toBe('es');
  });
}
