import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, log, member, press, say, service, shows } from '../stage.ts';
import { expectReadable } from './findings.ts';

const longQuestion = 'Tell me of rivers, in many words';

/** Presses Stop as soon as some output is visible, because the demo engine is faster than an external click. */
const stopEarly = (page: Page): Promise<void> =>
  page.evaluate(`new MutationObserver((_, observer) => {
    const output = [...document.querySelectorAll('[role=log], section[aria-label=Output]')].find((one) => one.checkVisibility());
    const stop = [...document.querySelectorAll('button')].find((button) => button.textContent === 'Stop');
    if (!stop || !output || !/(Assistant|Output).{12}/.test(output.textContent)) return;
    observer.disconnect();
    stop.click();
  }).observe(document.body, { childList: true, subtree: true, characterData: true })`);

export function interruptionTests(): void {
  test('a stream stopped by the user shows its charge, and can be retried', async () => {
    const { page, person } = await member('/playground');
    await stopEarly(page);
    await say(page, longQuestion);
    await shows(page, 'Interrupted. 1 credit charged.');
    await eventually(() => page.locator('dl').first().textContent()).toMatch(/Credits1$/);
    expect(await log(page).textContent()).toContain('interrupted');
    await expectReadable(page, 'playground-interrupted');
    await press(page, 'Retry');
    await eventually(() => log(page).textContent()).toContain('finish_reason: stop');
    expect(await page.getByText(longQuestion, { exact: true }).count()).toBe(1);
    await service.settled();
    expect((await service.call('GET', '/api/credits', person)).body.data.balance).toBe(98);
  });

  test('a stopped completion shows its charged fraction of a credit', async () => {
    const { page } = await member('/playground?tab=completion');
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('2000');
    await stopEarly(page);
    await press(page, 'Generate');
    await shows(page, /^Interrupted\. 0\.\d+ credits charged\./);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
  });

  test('a response shows why it ended, and fields name their defaults', async () => {
    const { page } = await member('/playground');
    const field = page.getByRole('textbox', { name: 'Maximum tokens' });
    expect(await field.getAttribute('placeholder')).toBe('Default: 1,024');
    expect(await page.getByRole('textbox', { name: 'Top k' }).getAttribute('placeholder')).toBe('Default: 50');
    await field.fill('5');
    await say(page, longQuestion);
    await eventually(() => log(page).textContent()).toContain('finish_reason: length');
    await press(page, 'New chat');
    await page.getByRole('tabpanel', { name: 'Chat' }).getByRole('switch', { name: 'Stream' }).click();
    await say(page, longQuestion);
    await eventually(() => log(page).textContent()).toContain('finish_reason: length');
    await page.getByRole('tab', { name: 'Completion' }).click();
    expect(await page.getByRole('textbox', { name: 'Maximum tokens' }).getAttribute('placeholder')).toBe(
      'Default: 100',
    );
  });
}
