import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { factorCalls } from '#test/requests/accounts/second-factor.ts';
import type { Person } from '#test/service/service.ts';
import {
  eventually,
  goTo,
  heading,
  open,
  press,
  requestsOf,
  saved,
  service,
  shoot,
  shows,
  signIn,
  signOut,
  useStage,
} from '../stage.ts';

useStage();
const calls = () => factorCalls(() => service);

/** Passkeys need a name in the address bar. */
const local = (): string => service.origin.replace('127.0.0.1', 'localhost');

/** Opens a page at the service's local name, in a browser with an authenticator that verifies its user. */
async function openWithAuthenticator(path: string, person?: Pick<Person, 'cookie'>, options?: BrowserContextOptions) {
  const page = await open('/', undefined, { ...options, baseURL: local() });
  const [name = '', value = ''] = person?.cookie.split('=') ?? [];
  if (person) await page.context().addCookies([{ name, value, url: local() }]);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const verify = (isUserVerified: boolean) =>
    devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  await page.goto(path);
  return { page, verify };
}

/** Sets up an authenticator app on the settings page. Returns its secret and the recovery codes. */
async function setUp(page: Page) {
  await press(page, 'Set up authenticator app');
  const dialog = page.getByRole('dialog');
  const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent())!.replaceAll(' ', '');
  await dialog.getByRole('img', { name: 'Image to scan' }).waitFor();
  await shoot(page, 'authenticator-setup');
  await dialog.getByLabel('Code').fill('000000');
  await press(page, 'Turn on');
  await shows(page, 'The code is incorrect or was already used.');
  const used = await calls().codeOf(secret);
  await dialog.getByLabel('Code').fill(used);
  await press(page, 'Turn on');
  await heading(page, 'Save your recovery codes');
  await shoot(page, 'recovery-codes');
  const codes = (await dialog.getByLabel('Recovery codes', { exact: true }).textContent())!.split('\n');
  return { secret, used, codes };
}

describe('a passkey', () => {
  test('is added in the settings, signs in alone, and is removed', async () => {
    const person = await service.person();
    const { page, verify } = await openWithAuthenticator('/settings', person);
    await press(page, 'Add passkey');
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
    await press(page, 'Continue');
    await shows(page, 'Laptop added. All other sessions are signed out.');
    await shows(page, /^Added .+, not used yet$/);
    await shoot(page, 'passkeys');
    await signOut(page);
    await verify(false);
    await press(page, 'Sign in with a passkey');
    await shows(page, /^No passkey was used/);
    await verify(true);
    await press(page, 'Sign in with a passkey');
    await shows(page, /^Hello, /);
    await page.goto('/settings');
    await shows(page, /^Added .+, last used /);
    await press(page, 'Add passkey');
    await page.getByRole('dialog').getByLabel('Name').fill('Again');
    await press(page, 'Continue');
    await shows(page, 'This device already has a passkey for your account.');
    await page.keyboard.press('Escape');
    await press(page, 'Remove Laptop');
    await press(page, 'Remove passkey');
    await shows(page, 'Laptop removed. All other sessions are signed out.');
    await eventually(() => page.getByRole('button', { name: 'Remove Laptop' }).count()).toBe(0);
    await signOut(page);
    await press(page, 'Sign in with a passkey');
    await shows(page, 'The passkey was not accepted. Try again, or sign in another way.');
  });

  test('is added with the password after 10 minutes', async () => {
    const person = await service.person();
    const { page } = await openWithAuthenticator('/settings', person);
    await calls().advance('PT11M');
    await press(page, 'Add passkey');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Late');
    await press(page, 'Continue');
    await dialog.getByLabel('Password', { exact: true }).fill('not the password');
    await press(page, 'Continue');
    await shows(page, 'Incorrect password');
    await dialog.getByLabel('Password', { exact: true }).fill(person.password);
    await press(page, 'Continue');
    await shows(page, 'Late added. All other sessions are signed out.');
  });

  test('is offered at the name of the machine instead of its address', async () => {
    const page = await open('/settings', await service.person());
    await page.getByRole('link', { name: local() }).waitFor();
    expect(await page.getByRole('button', { name: 'Add passkey' }).count()).toBe(0);
  });
});

describe('two-step sign-in', () => {
  test('is set up with a secret, shows its recovery codes once, and asks at sign-in', async () => {
    const person = await service.person();
    const page = await open('/settings', person);
    const { secret, used, codes } = await setUp(page);
    expect(codes).toHaveLength(10);
    const file = await saved(page, 'Download');
    expect([file.name, file.bytes.toString()]).toEqual(['recovery-codes.txt', `${codes.join('\n')}\n`]);
    await page.keyboard.press('Escape');
    const requests = requestsOf(page);
    await press(page, 'Done');
    await shows(page, /^Signing in, resetting the password/);
    // The dialog must not show its first step again while it closes.
    expect(requests.filter((url) => url.endsWith('/api/auth/totp/setup'))).toEqual([]);
    await goTo(page, 'Overview');
    await signOut(page);
    await signIn(page, person);
    await heading(page, 'Two-step sign-in');
    await shoot(page, 'second-step');
    await page.getByLabel('Code').fill(used);
    await press(page, 'Continue');
    await shows(page, 'The code is incorrect or was already used.');
    await calls().nextStep();
    await page.getByLabel('Code').fill(await calls().codeOf(secret));
    await press(page, 'Continue');
    await shows(page, /^Hello, /);
    await signOut(page);
    await signIn(page, person);
    await press(page, 'Use a recovery code');
    await page.getByLabel('Recovery code').fill(codes[0]!);
    await press(page, 'Continue');
    await shows(page, /^Hello, /);
  });

  test('is turned off with a code', async () => {
    const person = await calls().enrolled();
    const page = await open('/settings', person);
    await press(page, 'Turn off');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Code').fill('000000');
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await shows(page, 'The code is incorrect or was already used.');
    await dialog.getByLabel('Code').fill(person.recoveryCodes[0]!);
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await shows(page, 'Two-step sign-in is off. All other sessions are signed out.');
    await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor();
  });

  test('asks after Google too, and keeps the page to return to', async () => {
    const person = await calls().enrolled();
    await calls().post('google', { token: await calls().identityToken(person.email) }, person.cookie);
    const page = await open('/login?return=%2Fusage');
    await press(page, 'Continue with Google');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill(person.email);
    await dialog.getByLabel('Name').fill('Ada');
    await dialog.getByRole('button', { name: 'Continue', exact: true }).click();
    await heading(page, 'Two-step sign-in');
    await press(page, 'Use a recovery code');
    await page.getByLabel('Recovery code').fill(person.recoveryCodes[0]!);
    await press(page, 'Continue');
    await heading(page, 'Usage');
  });

  test('asks when the password is reset and when the account is deleted', async () => {
    const person = await calls().enrolled();
    const page = await open(`/reset-password?token=${await calls().resetToken(person.email)}`);
    await page.getByLabel('New password').fill('another river bank');
    await press(page, 'Change password');
    await shows(page, 'Your account also asks for a code');
    await page.getByLabel('Code').fill(person.recoveryCodes[1]!);
    await press(page, 'Change password');
    await heading(page, 'Password changed');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, { email: person.email, password: 'another river bank' });
    await press(page, 'Use a recovery code');
    await page.getByLabel('Recovery code').fill(person.recoveryCodes[2]!);
    await press(page, 'Continue');
    await shows(page, /^Hello, /);
    await page.goto('/settings');
    await press(page, 'Delete account');
    await page.getByLabel('Type your email to confirm').fill(person.email);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password', { exact: true }).fill('another river bank');
    await press(page, 'Delete account permanently');
    await shows(page, 'Code is required');
    await dialog.getByLabel('Code').fill(person.recoveryCodes[3]!);
    await press(page, 'Delete account permanently');
    await shows(page, /^Your account is deleted/);
  });
});
