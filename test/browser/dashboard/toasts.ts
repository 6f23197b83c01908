import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { settled } from '../pages/findings.ts';
import { eventually, member, press, shows } from '../stage.ts';

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
/** A toast stays while the pointer is over it, and for 5 s after. */
const keepToast = (page: Page) => page.locator('.mantine-Notification-root').last().hover();

export function toastTests(): void {
  test.each([360, 1280])('cover no button of a page or dialog at any scroll position, at %d px', async (width) => {
    const { page } = await member('/plans', {}, { viewport: { width, height: 740 } });
    await settled(page);
    await press(page, 'Subscribe Dev Pass');
    await press(page, 'Subscribe to Dev Pass');
    await shows(page, 'You are on the Dev Pass.');
    await keepToast(page);
    for (let top = 0; top < 2400; top += 160) {
      await page.evaluate(`scrollTo(0, ${top})`);
      await eventually(async () => [top, await coveredNow(page)]).toEqual([top, []]);
    }
    await press(page, 'Upgrade Pro Pass');
    await page.getByRole('button', { name: /^Upgrade for/ }).click();
    await shows(page, 'You are on the Pro Pass.');
    for (const name of ['Downgrade SMME Pass', 'Cancel subscription']) {
      await keepToast(page);
      await press(page, name);
      await page.getByRole('dialog').waitFor();
      await eventually(async () => [name, await coveredNow(page)]).toEqual([name, []]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
  });
}
