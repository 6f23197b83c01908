import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { changeTheme, findings } from '../pages/findings.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

export function addressTests(stage: () => Stage): void {
  test('tabs and filters are in the address, and a reload shows the same', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    await service.settled();
    const page = await visit(person);
    const search = () => new URL(page.url()).search;

    await page.goto('/playground');
    await page.getByRole('tab', { name: 'Embeddings' }).click();
    expect(search()).toBe('?tab=embeddings');
    await page.reload();
    await page.getByRole('tab', { name: 'Embeddings', selected: true }).waitFor();

    await page.goto('/usage');
    await page.getByText('Model', { exact: true }).first().click();
    await page.getByText('Calls', { exact: true }).nth(1).click();
    await page.getByRole('combobox', { name: 'Days' }).selectOption('Last 7 days');
    expect(search()).toBe('?group=model&measure=calls&days=7');
    await page.reload();
    await page.getByRole('table', { name: 'Usage by model' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Days' }).inputValue()).toBe('7');
    expect(await page.getByRole('radio', { name: 'Calls' }).isChecked()).toBe(true);

    await page.goto('/usage?days=custom&from=2024-01-01&to=2024-02-29');
    await shows(page, 'No data for this period');
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2024-01-01');

    await page.goto('/keys');
    await page.getByRole('switch', { name: 'Show revoked and expired' }).click();
    expect(search()).toBe('?show=all');
    await page.reload();
    await shows(page, 'Your keys');
    expect(await page.getByRole('switch', { name: 'Show revoked and expired' }).isChecked()).toBe(true);
  });

  test('a conversation survives navigation and a reload of its tab, and ends with the session', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person());
    await page.goto('/playground');
    await page.getByLabel('System message').fill('Be brief about rivers');
    await page.getByLabel('Your message').fill('Tell me of the Danube');
    await press(page, 'Send');
    const log = page.getByRole('log');
    await eventually(() => log.textContent()).toContain('finish_reason: stop');
    const talk = await log.textContent();
    await page.getByRole('link', { name: 'Plans', exact: true }).click();
    await page.getByRole('heading', { name: 'Plans', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await eventually(() => log.textContent()).toBe(talk);
    await page.reload();
    await eventually(() => log.textContent()).toBe(talk);
    expect(await page.getByLabel('System message').inputValue()).toBe('Be brief about rivers');
    await page.goto('/docs');
    await page.goBack();
    await eventually(() => log.textContent()).toBe(talk);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('Danube');
  });

  test('a conversation is gone where the session ended while its tab was closed', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(person);
    await page.goto('/playground');
    await page.getByLabel('Your message').fill('Tell me of the Danube');
    await press(page, 'Send');
    await eventually(() => page.getByRole('log').textContent()).toContain('finish_reason: stop');
    await page.goto('/docs');
    await service.call('POST', '/api/auth/logout', { cookie: person.cookie });
    await page.goto('/login');
    await eventually(() => page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('Danube');
  });

  test('the sign-in page leads a signed-in user to the overview', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person());
    await page.goto('/login');
    await shows(page, /^Hello, /);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('an unknown address gets a page, with the way to the overview', async () => {
    const { service, visit, shoot } = stage();
    const page = await visit(await service.person());
    await page.goto('/no-such-page');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    for (const theme of ['light', 'dark'] as const) {
      await changeTheme(page, theme);
      await shoot(page, `not-found-${theme}`);
      expect(await findings(page)).toEqual([]);
    }
    await page.getByRole('link', { name: 'Overview' }).click();
    await shows(page, /^Hello, /);
  });

  test('a confirmation link in a browser without the session explains itself, and goes on after signing in', async () => {
    const { service, visit, shoot } = stage();
    const person = await service.registered();
    const token = await service.mailedToken(person.email);
    const page = await visit();
    await page.goto(`/confirm?token=${token}`);
    await shows(page, /^Sign in to confirm your email/);
    await shoot(page, 'confirm-elsewhere');
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await press(page, 'Sign in');
    await shows(page, 'Email confirmed');
  });

  test('a confirmation link in a browser of another account names the account', async () => {
    const { service, visit } = stage();
    const [person, other] = [await service.registered(), await service.person()];
    const token = await service.mailedToken(person.email);
    const page = await visit(other);
    await page.goto(`/confirm?token=${token}`);
    await shows(page, /confirms the account it was sent to: you are signed in as/);
    await shows(page, other.email);
  });
}
