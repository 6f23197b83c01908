import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { findings } from '../pages/findings.ts';
import { ask, eventually, goTo, heading, log, member, open, service, shows, signIn, signOut } from '../stage.ts';

export function addressTests(): void {
  test('contain tabs and filters, so that a reload shows the same', async () => {
    const { page, person } = await member('/playground');
    await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    await service.settled();
    const search = () => new URL(page.url()).search;
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

  test('keep a conversation through navigation and a reload of the tab, until the session ends', async () => {
    const { page, person } = await member('/playground');
    await page.getByLabel('System message').fill('Be brief about rivers');
    await ask(page, 'Tell me of the Danube');
    const talk = await log(page).textContent();
    await goTo(page, 'Plans');
    await heading(page, 'Plans');
    await goTo(page, 'Playground');
    await eventually(() => log(page).textContent()).toBe(talk);
    await page.reload();
    await eventually(() => log(page).textContent()).toBe(talk);
    expect(await page.getByLabel('System message').inputValue()).toBe('Be brief about rivers');
    await page.goto('/docs');
    await page.goBack();
    await eventually(() => log(page).textContent()).toBe(talk);
    await signOut(page);
    const stored = () => page.evaluate('JSON.stringify(sessionStorage)');
    expect(await stored()).not.toContain('Danube');

    await signIn(page, person);
    await goTo(page, 'Playground');
    await ask(page, 'Tell me of the Danube');
    await page.goto('/docs');
    const [session] = await page.context().cookies();
    await service.call('POST', '/api/auth/logout', { cookie: `session=${session?.value}` });
    await page.goto('/login');
    await eventually(stored).not.toContain('Danube');
  });

  test('lead signed-in users from the sign-in page to the overview', async () => {
    const { page } = await member('/login');
    await shows(page, /^Hello, /);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('of a confirmation link are explained without a session, and continue after sign-in', async () => {
    const person = await service.registered();
    const page = await open(`/confirm?token=${await service.mailedToken(person.email)}`);
    await shows(page, /^Sign in to confirm your email/);
    expect(await findings(page)).toEqual([]);
    await signIn(page, person);
    await shows(page, 'Email confirmed');
  });
}
