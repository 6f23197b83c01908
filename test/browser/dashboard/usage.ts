import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { times } from '#test/many.ts';
import { chat } from '#test/service/service.ts';
import { expectFits, expectReadable } from '../pages/findings.ts';
import { changeData, eventually, open, press, requestsOf, saved, service, shows, visit } from '../stage.ts';

/** The lines of the "Export CSV" file, and its name. */
async function exported(page: Page): Promise<{ name: string; lines: string[] }> {
  const { name, bytes } = await saved(page, 'Export CSV');
  return { name, lines: bytes.toString().trim().split('\r\n') };
}

export function usageTests(): void {
  test('shows the spending by service, model and key, exports it, and pages through the ledger', async () => {
    const person = await service.person({ planRank: 2 });
    const { key } = person;
    const call = () => service.call('POST', '/v1/chat/completions', { key, body: chat() });
    // The plan allows 20 concurrent calls.
    await Promise.all(times(20, call));
    await call();
    const body = { text: 'Good morning.', sourceLanguage: 'en', targetLanguage: 'fr' };
    await service.call('POST', '/api/ai/translate', { key, body });
    await service.settled();

    const page = await open('/usage', person);
    const table = page.getByRole('table', { name: 'Usage by service' });
    await eventually(() => table.getByRole('row', { name: /^Chat/ }).textContent()).toMatch(
      /^Chat21\d[\d,]*0\d[\d,]*2168%$/,
    );
    expect(await table.getByRole('row', { name: /^Translation/ }).textContent()).toMatch(/^Translation10001032%$/);
    await shows(page, /^22 calls, 31 credits in total/);

    const { lines } = await exported(page);
    expect(lines[0]).toBe('Service,Calls,Credits,Input tokens,Cached input tokens,Output tokens');
    expect(lines[1]).toMatch(/^Chat,21,21,[1-9]\d*,0,[1-9]\d*$/);
    expect(lines.slice(2)).toEqual(['Translation,1,10,0,0,0']);

    await page.getByText('Key', { exact: true }).first().click();
    await shows(page, /^test …/);
    const rows = page.getByRole('table', { name: /^Credit history/ }).getByRole('row');
    expect(await rows.count()).toBe(21);
    await press(page, 'Load more');
    await eventually(() => rows.count()).toBeGreaterThan(22);
    await rows.filter({ hasText: 'Grant' }).filter({ hasText: 'Dev Pass assigned' }).first().waitFor();
  });

  test('exports one row per group, with the displayed names', async () => {
    const person = await service.person({ planRank: 2 });
    const second = await service.call('POST', '/api/keys', { cookie: person.cookie, body: { name: '=cmd, "quoted"' } });
    for (const key of [person.key, person.key, second.body.data.key])
      await service.call('POST', '/v1/chat/completions', { key, body: chat() });
    await service.call('POST', '/v1/completions', { key: person.key, body: { model: 'svc-1', prompt: 'Once' } });
    await service.settled();
    const page = await open('/usage?group=key', person);
    await page.getByRole('table', { name: 'Usage by key' }).waitFor();
    const { name, lines } = await exported(page);
    expect(name).toMatch(/^usage-by-key-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d-UTC\.csv$/);
    expect(lines).toHaveLength(3);
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^Key,Calls,Credits,/),
      expect.stringMatching(/^test …\w+,3,/),
    ]);
    expect(lines[2]).toMatch(/^"'=cmd, ""quoted"" …\w+",1,1,\d+,0,\d+$/);
  });

  test('reloads a lagging credit history, and totals and exports usage of several pages', async () => {
    const person = await service.person();
    const page = await visit(person);
    await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    await service.settled();
    let reads = 0;
    await changeData(page, '**/api/credits?limit=20*', (data) => {
      reads += 1;
      return reads < 3 ? { ...data, entries: data.entries.slice(1), isBehind: true } : data;
    });
    await page.route('**/api/usage?*', async (route) => {
      const url = route.request().url();
      const response = await route.fetch({ url: url.replace(/&cursor=.*/, '') });
      const body = await response.json();
      if (!url.includes('cursor=')) body.data.nextCursor = 'more';
      await route.fulfill({ response, json: body });
    });
    await page.goto('/usage?group=key');
    await shows(page, /^2 calls, 2 credits in total/);
    expect((await exported(page)).lines[1]).toMatch(/,2,2,16,0,\d+$/);
    await page
      .getByRole('table', { name: /^Credit history/ })
      .getByRole('row', { name: /Chat, svc-1/ })
      .waitFor();
    expect(reads).toBe(3);
    await page.waitForTimeout(1500);
    expect(reads).toBe(3);
  });

  test("shows the days of the browser's time zone, and names it", async () => {
    const person = await service.person();
    await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    await service.settled();
    const timezoneId = 'Pacific/Kiritimati';
    const page = await open('/usage?group=day', person, { timezoneId });
    await shows(page, `Days are in your time zone, ${timezoneId}.`);
    const ahead = new Intl.DateTimeFormat('en-GB', { timeZone: timezoneId, dateStyle: 'medium' }).format(Date.now());
    await page.getByRole('table', { name: 'Usage by day' }).getByRole('row', { name: ahead }).waitFor();
    const { name, lines } = await exported(page);
    expect(name).toMatch(/-Pacific-Kiritimati\.csv$/);
    expect(lines[0]).toMatch(/^Day \(Pacific\/Kiritimati\),Calls,/);
    await changeData(page, '**/api/usage?*', (data) => ({ ...data, utcThrough: '2026-01-31' }));
    await page.reload();
    await shows(page, /Usage up to 31 Jan 2026 may be counted by UTC day/);
    await expectReadable(page, 'usage-zone');
    await expectFits(page, 'usage-zone');
  });

  test('accepts a custom range, reports an invalid one, and keeps the previous data', async () => {
    const person = await service.person();
    await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    await service.settled();
    const page = await open('/usage', person);
    const row = page.getByRole('table', { name: 'Usage by service' }).getByRole('row', { name: /^Chat/ });
    await row.waitFor();
    await page.getByRole('combobox', { name: 'Days' }).selectOption('Custom range');
    const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })];
    const today = await to.inputValue();
    expect([today, await from.inputValue()]).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    ]);
    await from.fill(today);
    await shows(page, /^1 call, 1 credit in total/);
    await page.locator('.uplot canvas').waitFor();
    await from.fill('');
    await shows(page, 'Enter a date');
    await row.waitFor();
    await from.fill('2999-01-01');
    await shows(page, 'From must not be after To');
    await row.waitFor();
    const requests = requestsOf(page);
    const requested = () => requests.filter((url) => url.includes('/api/usage?')).map((url) => new URL(url).search);
    await from.fill('2024-01-01');
    await shows(page, 'Choose a range of at most 366 days');
    const [top, other] = [await from.boundingBox(), await to.boundingBox()];
    expect(top!.y).toBe(other!.y);
    await to.fill('2999-01-01');
    await shows(page, 'To must not be after today');
    // A year is typed digit by digit, and every intermediate state is a date.
    for (const year of ['0002', '0020', '0202']) {
      await to.fill(`${year}-02-01`);
      await shows(page, 'Enter a date in 1970 or later');
    }
    expect(requested()).toEqual([]);
    await to.fill('2024-02-29');
    await shows(page, 'No data for this period');
    expect(requested()).toEqual(['?from=2024-01-01&to=2024-02-29&group=service&timezone=UTC']);
    expect(await page.getByRole('alert').count()).toBe(0);
  });
}
