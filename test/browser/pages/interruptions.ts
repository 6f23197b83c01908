import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, press, type Stage, shows } from '../stage.ts';
import { changeTheme, findings } from './findings.ts';

const longQuestion = 'Tell me of rivers, in many words';

async function sendMessage(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text);
  await press(page, 'Send');
}

/** Presses Stop as soon as some of the output is there: the demo engine is quicker than a click from outside. */
const stopEarly = (page: Page): Promise<void> =>
  page.evaluate(`new MutationObserver((_, observer) => {
    const output = [...document.querySelectorAll('[role=log], section[aria-label=Output]')].find((one) => one.checkVisibility());
    const stop = [...document.querySelectorAll('button')].find((button) => button.textContent === 'Stop');
    if (!stop || !output || !/(Assistant|Output).{12}/.test(output.textContent)) return;
    observer.disconnect();
    stop.click();
  }).observe(document.body, { childList: true, subtree: true, characterData: true })`);

export function interruptionTests(stage: () => Stage): void {
  test('a stream that its reader stops names the credits it was charged, and can be retried', async () => {
    const { service, visit, shoot } = stage();
    const person = await service.person();
    const page = await visit(person);
    await page.goto('/playground');
    await stopEarly(page);
    await sendMessage(page, longQuestion);
    await shows(page, 'Interrupted. 1 credit charged.');
    await eventually(() => page.locator('dl').first().textContent()).toMatch(/Credits1$/);
    expect(await page.getByRole('log').textContent()).toContain('interrupted');
    for (const theme of ['light', 'dark'] as const) {
      await changeTheme(page, theme);
      await shoot(page, `playground-interrupted-${theme}`);
      expect(await findings(page)).toEqual([]);
    }
    await press(page, 'Retry');
    await eventually(() => page.getByRole('log').textContent()).toContain('finish_reason: stop');
    expect(await page.getByText(longQuestion, { exact: true }).count()).toBe(1);
    await service.settled();
    expect((await service.call('GET', '/api/credits', person)).body.data.balance).toBe(98);
  });

  test('a stream that the model cuts names the credits it was charged, and can be retried', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person());
    await page.goto('/playground');
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'cut' });
    await sendMessage(page, longQuestion);
    await shows(page, 'Interrupted. 1 credit charged.');
    expect(await page.getByText(/Can't reach the server/).count()).toBe(0);
    await press(page, 'Retry');
    await eventually(() => page.getByRole('log').textContent()).toContain('finish_reason: stop');
  });

  test('a completion that is stopped names the share of a credit that it was charged', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person());
    await page.goto('/playground?tab=completion');
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('2000');
    await stopEarly(page);
    await press(page, 'Generate');
    await shows(page, /^Interrupted\. 0\.\d+ credits charged\./);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
  });

  test('the sign-in page promises nothing that an interrupted call contradicts', async () => {
    const page = await stage().visit();
    await page.goto('/login');
    await shows(page, 'Failed calls are free.');
    expect(await page.getByText('A call that fails costs nothing.').count()).toBe(0);
  });

  test('a response shows why it ended, and fields name their defaults', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/playground');
    const field = page.getByRole('textbox', { name: 'Maximum tokens' });
    expect(await field.getAttribute('placeholder')).toBe('Default: 1,024');
    expect(await page.getByRole('textbox', { name: 'Top k' }).getAttribute('placeholder')).toBe('Default: 50');
    await field.fill('5');
    await sendMessage(page, longQuestion);
    await eventually(() => page.getByRole('log').textContent()).toContain('finish_reason: length');
    await press(page, 'New chat');
    await page.getByRole('tabpanel', { name: 'Chat' }).getByRole('switch', { name: 'Stream' }).click();
    await sendMessage(page, longQuestion);
    await eventually(() => page.getByRole('log').textContent()).toContain('finish_reason: length');
    await page.getByRole('tab', { name: 'Completion' }).click();
    expect(await page.getByRole('textbox', { name: 'Maximum tokens' }).getAttribute('placeholder')).toBe(
      'Default: 100',
    );
  });
}
