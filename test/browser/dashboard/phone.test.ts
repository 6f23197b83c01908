import { beforeAll, describe, expect, it } from 'vitest';
import { dashboardPages } from '#contract/dashboard-config.ts';
import { services } from '#runtime/services/container.ts';
import { chat, type Person } from '#test/service/service.ts';
import { guestPages, settled } from '../pages/findings.ts';
import { useStage } from '../stage.ts';
import { toastTests } from './toasts.ts';

/** Visible texts with a fault: a number that wraps, or an ISO timestamp. */
const unreadable = `(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement } = node;
    if (parentElement.closest('script, style, pre, code, textarea, .mono') || !parentElement.checkVisibility()) continue;
    if (/\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d/.test(node.data)) found.push('timestamp: ' + node.data);
    for (const { 0: number, index } of node.data.matchAll(/(?<![\\w-])[+−$]*\\d[\\d.,:]*\\d%?(?!\\w)/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + number.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push('broken number: ' + number);
    }
  }
  return found;
})()`;

const stage = useStage();

describe('a page on a phone', () => {
  let person: Person;

  beforeAll(async () => {
    const { service } = stage();
    person = await service.person({ planRank: 4 });
    const { key, cookie, email, id } = person;
    const call = (method: string, path: string, body?: unknown) => service.call(method, path, { cookie, body });
    await (await services().operators()).actions().setRole(email, 'operator');
    await call('POST', '/api/keys', { name: 'intern', limit: { credits: 99_999, period: 'month' } });
    await call('POST', '/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['credits.granted', 'key.created'] });
    await call('POST', `/api/operator/accounts/${id}/credits`, { credits: 123_456, reason: 'For 12,345 calls' });
    await service.call('POST', '/v1/chat/completions', { key, body: chat() });
    await service.call('POST', '/v1/chat/completions', { key, body: { ...chat(), temperature: 3 } });
    await service.call('PUT', '/api/subscription/downgrade-plan', { key, body: { newPlanId: 'dev_pass' } });
    await service.call('POST', '/v1/embeddings', { key, body: { model: 'svc-embed', input: 'Three short words' } });
    await service.settled();
  }, 60_000);

  const tabs = ['overview', 'ledger', 'keys', 'requests', 'mails', 'audit'];
  const paths = dashboardPages.filter((path) => !guestPages.has(path) && !path.startsWith('/guides/'));

  it('wraps no number and shows no ISO timestamp', async () => {
    const page = await stage().visit(person, { viewport: { width: 360, height: 740 } });
    const seen: unknown[] = [];
    const account = tabs.map((tab) => `/operator?account=${person.id}&tab=${tab}`);
    for (const path of [...paths, '/usage?group=key', ...account, '/guides/credits', '/guides/plans-and-limits']) {
      await page.goto(path);
      await settled(page);
      await page.waitForLoadState('networkidle');
      const found = (await page.evaluate(unreadable)) as string[];
      if (found.length > 0) seen.push([path, found]);
      await stage().shoot(page, `phone-${path.slice(1).replaceAll(/\W+/g, '-')}`);
    }
    expect(seen).toEqual([]);
  }, 120_000);

  it('stacks the cells of guide tables, and no table scrolls sideways', async () => {
    const page = await stage().visit(person, { viewport: { width: 360, height: 740 } });
    const tables = page.getByRole('region', { name: 'Table' });
    let seen = 0;
    for (const path of dashboardPages.filter((one) => one.startsWith('/guides/'))) {
      await page.goto(path);
      await page.locator('main [class*=_guide_] > p').first().waitFor();
      const wide = await tables.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
      expect([path, wide]).toEqual([path, 0]);
      seen += await tables.count();
    }
    expect(seen).toBeGreaterThan(20);
    await page.goto('/guides/plans-and-limits');
    const row = page.getByRole('row').filter({ hasText: 'svc-1-32k' });
    await row.waitFor();
    const cells = await row.getByRole('cell').all();
    const boxes = await Promise.all(cells.map((cell) => cell.boundingBox()));
    const shown = boxes.filter((box) => box !== null);
    expect(shown).toHaveLength(4);
    expect(new Set(shown.map(({ x }) => x)).size).toBe(1);
    expect(shown.map(({ y }) => y)).toEqual(shown.map(({ y }) => y).toSorted((one, other) => one - other));
    await stage().shoot(page, 'phone-guide-table');
  }, 60_000);
});

describe('toasts', () => {
  toastTests(stage);
});
