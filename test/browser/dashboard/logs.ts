import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { expectFits, expectReadable } from '../pages/findings.ts';
import { eventually, member, open, press, saved, service, shows } from '../stage.ts';

export function logTests(): void {
  test('lists requests with their status, and shows the reason of a refusal', async () => {
    const person = await service.person({ planRank: 2 });
    const { key } = person;
    const post = (body: unknown) => service.call('POST', '/v1/chat/completions', { key, body });
    for (let call = 0; call < 26; call++) await post(chat());
    const refused = await post({ ...chat(), temperature: 3 });
    const body = { text: 'Good morning.', sourceLanguage: 'en', targetLanguage: 'fr' };
    await service.call('POST', '/api/ai/translate', { key, body });
    await service.settled();

    const page = await open('/logs', person);
    const table = page.getByRole('table', { name: /^Requests/ });
    await eventually(() => table.getByRole('row').count()).toBe(26);
    await press(page, 'Load more');
    await eventually(() => table.getByRole('row').count()).toBe(29);

    await page.getByRole('combobox', { name: 'Status' }).selectOption('4xx: client error');
    await eventually(() => table.getByRole('row').count()).toBe(2);
    expect(new URL(page.url()).search).toBe('?status=4xx');
    await page.reload();
    await eventually(() => table.getByRole('row').count()).toBe(2);

    const opener = table.getByRole('row').nth(1).getByRole('button');
    await opener.focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Request' });
    await drawer.getByText(String(refused.body.detail)).waitFor();
    const text = (await drawer.textContent()) ?? '';
    expect(text).toContain(refused.headers.get('x-request-id'));
    expect(text).toContain('INVALID_FORMAT');
    expect(text).toContain('x-request-id');
    await expectReadable(page, 'logs-drawer');
    await expectFits(page, 'logs-drawer');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await eventually(() => page.evaluate('document.activeElement.textContent')).toBe(await opener.textContent());
  });

  test('searches by request id, text of the error and time range', async () => {
    const person = await service.person({ planRank: 2 });
    const post = (body: unknown) => service.call('POST', '/v1/chat/completions', { key: person.key, body });
    const first = await post(chat());
    await post({ ...chat(), temperature: 3 });
    await post({ ...chat(), top_p: 3 });
    await service.settled();
    const page = await open('/logs', person);
    const rows = page.getByRole('table', { name: /^Requests/ }).getByRole('row');
    await eventually(() => rows.count()).toBe(4);

    await page.getByLabel('Error contains').fill('TEMPERATURE must');
    await eventually(() => rows.count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('error')).toBe('TEMPERATURE must');
    await page.getByLabel('Error contains').fill('nothing like this');
    await shows(page, 'No requests match these filters');
    await press(page, 'Clear filters');
    await eventually(() => rows.count()).toBe(4);
    expect(await page.getByLabel('Error contains').inputValue()).toBe('');

    await page.getByLabel('Request ID').fill(` ${first.headers.get('x-request-id')} `);
    await eventually(() => rows.count()).toBe(2);
    await page.reload();
    await eventually(() => rows.count()).toBe(2);

    await page.goto('/logs?days=custom&from=2020-01-01T00:00&to=2020-01-02T00:00');
    await shows(page, 'No requests match these filters');
    await page.getByLabel('To', { exact: true }).fill('2099-01-01T00:00');
    await eventually(() => rows.count()).toBe(4);
    await expectReadable(page, 'logs-search');
    await expectFits(page, 'logs-search');
  });

  test('exports all pages as CSV and JSON lines, with progress, and can be cancelled', async () => {
    const person = await service.person({ planRank: 2 });
    const refused = { ...chat(), temperature: 3 };
    for (const body of [chat(), refused, chat()])
      await service.call('POST', '/v1/chat/completions', { key: person.key, body });
    await service.settled();
    const page = await open('/logs', person);
    const rows = page.getByRole('table', { name: /^Requests/ }).getByRole('row');
    await eventually(() => rows.count()).toBe(4);
    // Pages of one request, of which the export follows every cursor.
    await page.route('**/api/requests?*limit=200*', (route) =>
      route.continue({ url: route.request().url().replace('limit=200', 'limit=1') }),
    );
    const csv = await saved(page, 'Export CSV');
    expect(csv.name).toMatch(/^requests-\d{4}-\d\d-\d\d\.csv$/);
    const lines = csv.bytes.toString().trim().split('\r\n');
    expect(lines[0]).toMatch(/^requestId,at,route,status,message,detail,/);
    expect(lines.map((line) => line.split(',')[3])).toEqual(['status', '200', '400', '200']);
    await shows(page, 'Exported 3 requests.');

    await page.getByLabel('Error contains').fill('temperature');
    await eventually(() => rows.count()).toBe(2);
    const jsonl = await saved(page, 'Export JSONL');
    const entries = jsonl.bytes.toString().trim().split('\n');
    expect(entries.map((line) => JSON.parse(line))).toMatchObject([{ status: 400, message: 'INVALID_FORMAT' }]);

    const held = Promise.withResolvers<void>();
    await page.route('**/api/requests?*limit=200*', async (route) => {
      await held.promise;
      await route.abort();
    });
    await press(page, 'Export CSV');
    await page.getByRole('progressbar', { name: 'Export' }).waitFor({ state: 'attached' });
    await press(page, 'Cancel');
    await eventually(() => page.getByRole('progressbar', { name: 'Export' }).count()).toBe(0);
    held.resolve();
    expect(await page.getByRole('alert').count()).toBe(0);
    await press(page, 'Export CSV');
    await page.getByRole('alert').waitFor();
  });

  test('explains an empty result and a failed load', async () => {
    const { page } = await member('/logs');
    await shows(page, 'No requests yet');
    await page.goto('/logs?status=429&days=7');
    await shows(page, 'No requests match these filters');
    await press(page, 'Clear filters');
    await shows(page, 'No requests yet');
    expect(new URL(page.url()).search).toBe('');
    await page.route('**/api/requests*', (route) => route.abort());
    await press(page, 'Refresh');
    await page.getByRole('alert').waitFor();
    await page.unroute('**/api/requests*');
    await press(page, 'Retry');
    await eventually(() => page.getByRole('alert').count()).toBe(0);
  });
}

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
