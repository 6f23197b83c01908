import type { Page } from 'playwright-core';
import { looksWell } from '../../pages/findings.ts';

/** The position of a player as text. */
export const positionIn = (page: Page, player: string) =>
  page.getByRole('region', { name: player, exact: true }).getByRole('slider', { name: 'Position' });

/** The position of a player in seconds. */
export const secondsIn = async (page: Page, player: string): Promise<number> =>
  Number(await positionIn(page, player).getAttribute('aria-valuenow'));

/** Examines the page in both themes and on a phone, then restores its width. */
export async function looksWellAtAnyWidth(page: Page, name: string): Promise<void> {
  await looksWell(page, name);
  await page.setViewportSize({ width: 1360, height: 900 });
}

/** Chooses a file to transcribe. */
export const chooseFile = (page: Page, name: string, buffer: Buffer, mimeType = 'audio/mpeg'): Promise<void> =>
  page.locator('input[type=file]').first().setInputFiles({ name, mimeType, buffer });
