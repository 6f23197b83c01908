import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { expectFits, expectReadable } from '../pages/findings.ts';
import { eventually, member, open, press, service, shows } from '../stage.ts';

const desk = { viewport: { width: 1280, height: 900 } };
export function contentTests(): void {
  test('stores the prompts of a key after a warning, shows them as text in the logs, and deletes them', async () => {
    const hostile = '<img src=x onerror="document.title=\'pwned\'">';
    const { page, person } = await member('/keys', { planRank: 4 }, desk);
    await press(page, 'Actions for test');
    await page.getByRole('menuitem', { name: 'Store prompts' }).click();
    const dialog = page.getByRole('dialog', { name: /^Prompts and responses of/ });
    await dialog.getByText(/everything personal or secret/).waitFor();
    await dialog.getByRole('combobox', { name: 'Store for' }).selectOption('7 days');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await shows(page, 'Prompts and responses are stored for 7 days');

    const body = { ...chat(hostile), stream: true };
    await (await service.open('/v1/chat/completions', person.key, body)).text();
    await service.settled();
    await page.goto('/logs');
    const row = page
      .getByRole('table', { name: /^Requests/ })
      .getByRole('row')
      .nth(1);
    await row.getByRole('button').first().click();
    const drawer = page.getByRole('dialog', { name: 'Request' });
    await drawer.getByText(/^Stored until/).waitFor();
    await drawer.getByRole('button', { name: 'Show', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await row.getByRole('button', { name: 'Show', exact: true }).click();
    const prompt = drawer.getByRole('region', { name: 'prompt' });
    await eventually(() => prompt.textContent()).toContain('onerror=');
    await eventually(() => drawer.getByRole('region', { name: 'response' }).textContent()).toContain('"content": ');
    expect(await page.title()).not.toContain('pwned');
    await drawer.getByText('The response was streamed.').waitFor();

    await drawer.getByRole('button', { name: 'Delete prompt and response' }).click();
    await page
      .getByRole('dialog', { name: 'Delete prompt and response?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await drawer.getByText(/^No prompt and response are stored/).waitFor();
  });

  test('are readable in both themes, and fit on a phone', async () => {
    const { page, person } = await member('/keys', { planRank: 4 }, desk);
    const path = `/api/keys/${person.keyId}/content`;
    await service.call('PUT', path, { cookie: person.cookie, body: { days: 30 } });
    await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat('A long question. '.repeat(40)) });
    await page.reload();
    await press(page, 'Actions for test');
    await page.getByRole('menuitem', { name: 'Store prompts' }).click();
    await page.getByRole('button', { name: 'Delete stored texts' }).waitFor();
    await expectReadable(page, 'content-dialog');
    await expectFits(page, 'content-dialog');

    await service.settled();
    const logs = await open('/logs', person, desk);
    await logs
      .getByRole('table', { name: /^Requests/ })
      .getByRole('row')
      .nth(1)
      .getByRole('button', { name: 'Show', exact: true })
      .click();
    await logs.getByRole('region', { name: 'response' }).waitFor();
    await expectReadable(logs, 'content-drawer');
    await expectFits(logs, 'content-drawer');
  });
}
