import { expect, test } from 'vitest';
import { eventually, type Stage } from './stage.ts';

/** Swagger UI takes its time to resolve an operation, more so where the machine is busy. */
const patienceMs = 60_000;

export function referenceTests(stage: () => Stage): void {
  test(
    'an operation opens by its link, takes a key and is tried, all from its own origin, and nothing is kept',
    async () => {
      const { service, visit } = stage();
      const { key } = await service.person({ planRank: 2 });
      const page = await visit(undefined, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
      page.setDefaultTimeout(patienceMs);
      const elsewhere: string[] = [];
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(`${service.origin}/`) && !url.startsWith('data:')) elsewhere.push(url);
      });

      await page.goto('/docs#/Inference/listModels');
      await page.locator('.opblock.is-open .try-out__btn').waitFor();
      expect(await page.locator('header a[href="/"]').textContent()).toBe('Text AI platform');
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
      expect(await page.evaluate('document.documentElement.className')).toContain('dark-mode');

      await page.locator('.auth-wrapper > .authorize').first().click();
      await page.getByLabel('auth-bearer-value').first().fill(key);
      await page.locator('.modal-ux button.authorize').first().click();
      await page.locator('.modal-ux .btn-done').first().click();
      await page.locator('.try-out__btn').click();
      await page.locator('button.execute').click();
      const response = page.locator('.live-responses-table .response');
      await response.waitFor();
      await eventually(() => response.textContent()).toContain('"message": "SUCCESS"');
      expect(await response.textContent()).toContain('"id": "svc-1"');
      expect(await page.evaluate('Object.keys(localStorage).concat(Object.keys(sessionStorage))')).toEqual([]);
      expect(elsewhere).toEqual([]);
      await page.close();
    },
    patienceMs,
  );
}
