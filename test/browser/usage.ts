import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chat } from '#test/service.ts';
import { eventually, press, type Stage, says } from './stage.ts';

export function usageTests(stage: () => Stage): void {
  test('shows what was spent by service, model and key, exports it, and pages through the ledger', async () => {
    const { service, visit } = stage();
    const person = await service.person({ planRank: 2 });
    const { key } = person;
    const calls = Array.from({ length: 21 }, () => service.call('POST', '/v1/chat/completions', { key, body: chat() }));
    await Promise.all(calls);
    const body = { text: 'Good morning.', sourceLanguage: 'en', targetLanguage: 'fr' };
    await service.call('POST', '/api/ai/translate', { key, body });
    await service.settled();

    const page = await visit(person);
    await page.goto('/usage');
    const table = page.getByRole('table', { name: 'Usage by service' });
    await eventually(() => table.getByRole('row', { name: /^Chat/ }).textContent()).toMatch(/^Chat212168 %$/);
    expect(await table.getByRole('row', { name: /^Translation/ }).textContent()).toMatch(/^Translation11032 %$/);
    await says(page, /^22 calls, 31 credits in all/);

    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(lines[0]).toBe('date,service,model,key,calls,credits');
    expect(lines.slice(1).map((line) => line.split(',').slice(1, 3).join())).toEqual(
      expect.arrayContaining(['chat,svc-1', 'translation,svc-instruct']),
    );

    await page.getByText('Key', { exact: true }).first().click();
    await says(page, /^test …/);
    const rows = page.getByRole('table', { name: /^Ledger/ }).getByRole('row');
    expect(await rows.count()).toBe(21);
    await press(page, 'Older entries');
    await eventually(() => rows.count()).toBeGreaterThan(22);
  });
}
