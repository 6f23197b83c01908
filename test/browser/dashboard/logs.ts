import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { expectFits, expectReadable } from '../pages/findings.ts';
import { eventually, member, open, press, service, shows } from '../stage.ts';

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
