import { expect, test } from 'vitest';
import { eventually, press, type Stage, shows } from '../stage.ts';

export function accountTests(stage: () => Stage): void {
  test('what is wrong stands next to its field, in the words of the API', async () => {
    const page = await stage().visit();
    const person = await stage().service.registered();
    await page.goto('/register');
    await page.getByLabel('Name').fill('Bob');
    await page.getByLabel('Email').fill('nobody');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await press(page, 'Create account');
    await shows(page, 'Enter a valid email address');
    await shows(page, 'Password must have at least 8 characters');
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill('password123');
    await press(page, 'Create account');
    await shows(page, 'Password must not be one of the most common passwords');
    await page.getByLabel('Password', { exact: true }).fill('a quiet river bank');
    await press(page, 'Create account');
    await shows(page, 'An account with this email already exists. Sign in instead.');
    expect(await page.evaluate('document.activeElement.dataset.path')).toBe('email');
  });

  test('the strength of a password agrees with whether it is taken', async () => {
    const page = await stage().visit();
    await page.goto('/register');
    await page.getByLabel('Name').fill('Anna');
    await page.getByLabel('Email').fill(' anna.quiet@example.com ');
    const password = page.getByLabel('Password', { exact: true });
    const strength = page.locator('[aria-live=polite]');
    await password.fill('Anna.Quiet@example.com');
    expect(await strength.textContent()).toMatch(/^Too easy to guess\./);
    await password.fill('password1234');
    await press(page, 'Create account');
    await shows(page, /^Password must not be one of the most common passwords/);
    expect(await strength.textContent()).not.toMatch(/Fair|Good|Strong/);
  });

  test('a wrong password is shown, and the demo account is one press away', async () => {
    const page = await stage().visit();
    await page.goto('/login');
    await page.getByLabel('Email').fill('demo@example.com');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await press(page, 'Sign in');
    await page.getByRole('alert').waitFor();
    await press(page, 'Use the demo account');
    await shows(page, 'Hello, Demo');
  });

  test('a forgotten password is replaced over the mailed link, whose token does not stay in the address', async () => {
    const { service, visit } = stage();
    const { email } = await service.person();
    const confirmation = await service.mailedToken(email);
    const page = await visit();
    await page.goto('/forgot-password');
    await page.getByLabel('Email').fill(email);
    await press(page, 'Send reset link');
    await shows(page, 'Check your inbox');
    await page.goto(`/reset-password?token=${await service.mailedToken(email, confirmation)}`);
    await eventually(() => page.url()).not.toContain('token');
    await page.getByLabel('New password').fill('another river bank');
    await press(page, 'Change password');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('another river bank');
    await press(page, 'Sign in');
    await shows(page, /^Hello, /);
  });

  test('a link that was used or is of another account is explained, with the way to a new one', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.registered());
    await page.goto('/confirm?token=tac_wrong');
    await shows(page, /^The confirmation link has expired or was replaced/);
    await press(page, 'resend the email');
    await shows(page, 'Email sent. Earlier links no longer work.');
  });

  test('Google is played by the local issuer', async () => {
    const page = await stage().visit();
    await page.goto('/login');
    await press(page, 'Continue with Google');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('gina@example.com');
    await dialog.getByLabel('Name').fill('Gina');
    await dialog.getByRole('button', { name: 'Continue', exact: true }).click();
    await shows(page, 'Hello, Gina');
  });

  test('the settings change name and password, end sessions and delete the account', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const login = { body: { email: person.email, password: person.password } };
    await service.call('POST', '/api/auth/login', login);
    const page = await visit(person);
    await page.goto('/settings');
    await page.getByLabel('Name').fill('Renamed');
    await press(page, /^Save$/);
    await shows(page, 'Name changed to Renamed.');
    await page
      .getByRole('region', { name: 'Sessions' })
      .getByRole('button', { name: /^Sign out .*, signed in/ })
      .click();
    await shows(page, 'Session signed out.');
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
