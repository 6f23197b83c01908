import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { settled } from '../pages/findings.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

/** Buttons and fields covered by a toast, on the page or in the open dialog. */
const covered = `(() => {
  const toasts = [...document.querySelectorAll('.mantine-Notification-root')].map((toast) => toast.getBoundingClientRect());
  if (toasts.length === 0) return ['there is no toast'];
  const dialog = [...document.querySelectorAll('[aria-modal=true]')].at(-1);
  return [...(dialog ?? document).querySelectorAll('button, input, select, textarea')]
    .filter((one) => !one.closest('.mantine-Notifications-root') && one.checkVisibility())
    .filter((one) => {
      const box = one.getBoundingClientRect();
      return toasts.some((toast) => toast.left < box.right && box.left < toast.right && toast.top < box.bottom && box.top < toast.bottom);
    })
    .map((one) => one.getAttribute('aria-label') ?? one.textContent);
})()`;

const coveredNow = (page: Page): Promise<string[]> => page.evaluate(covered);

export function toastTests(stage: () => Stage): void {
  test.each([360, 768, 1280])('a toast covers no button at %d px, wherever the page is scrolled', async (width) => {
    const { service, visit, shoot } = stage();
    const person = await service.person();
    const page = await visit(person, { viewport: { width, height: 740 } });
    await page.goto('/plans');
    await settled(page);
    await press(page, 'Subscribe Dev Pass');
    await press(page, 'Subscribe to Dev Pass');
    await shows(page, 'You are on the Dev Pass.');
    await page.locator('.mantine-Notification-root').hover();
    for (let top = 0; top < 2400; top += 160) {
      await page.evaluate(`scrollTo(0, ${top})`);
      await eventually(async () => [top, await coveredNow(page)]).toEqual([top, []]);
    }
    await shoot(page, `toast-plans-${width}`);
  });

  test.each(
    [360, 768, 1280].flatMap((width) =>
      ['Downgrade SMME Pass', 'Cancel subscription'].map((name) => [width, name] as const),
    ),
  )('a toast covers no button of a dialog at %d px: %s', async (width, name) => {
    const { service, visit, shoot } = stage();
    const person = await service.person({ planRank: 2 });
    const page = await visit(person, { viewport: { width, height: 740 } });
    await page.goto('/plans');
    await settled(page);
    await press(page, 'Upgrade Pro Pass');
    await page.getByRole('button', { name: /^Upgrade for/ }).click();
    await shows(page, 'You are on the Pro Pass.');
    await press(page, name);
    await page.getByRole('dialog').waitFor();
    await eventually(() => coveredNow(page)).toEqual([]);
    await shoot(page, `toast-dialog-${name.slice(0, 6)}-${width}`);
  });
}
