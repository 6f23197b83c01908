import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { changeTheme, findings } from '../../pages/findings.ts';
import { press, type Stage } from '../../stage.ts';

/** The position of a player. */
export const positionIn = (page: Page, player: string) =>
  page.getByRole('region', { name: player, exact: true }).getByRole('slider', { name: 'Position' });

/** Where the audio of a player is, in seconds. */
export const secondsIn = async (page: Page, player: string): Promise<number> =>
  Number(await positionIn(page, player).getAttribute('aria-valuenow'));

/** Saves what a button offers; its name and content. */
export async function saved(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, button)]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** In both colours, and on a phone. */
export async function looksWell({ shoot }: Stage, page: Page, name: string): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await changeTheme(page, theme);
    await shoot(page, `${name}-${theme}`);
    expect(await findings(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.waitForFunction('document.documentElement.scrollWidth <= innerWidth');
  await shoot(page, `${name}-phone`);
  await page.setViewportSize({ width: 1360, height: 900 });
}
