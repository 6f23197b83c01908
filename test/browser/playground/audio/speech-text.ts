import { expect, test } from 'vitest';
import { tracesOf } from '../../accounts/shared-browser.ts';
import { findings } from '../../pages/findings.ts';
import { become, eventually, goTo, heading, member, pick, press, service, shows, signOut, visit } from '../../stage.ts';
import { looksWellAtAnyWidth, secondsIn } from './audio-page.ts';

const words = 'The heron stands in the reeds.';

export function speechTextTests(): void {
  test('a speech text must not be blank, survives navigation and a reload with its voice, and ends with the session', async () => {
    const { page } = await member('/playground?tab=speech');
    const field = page.getByLabel('Text', { exact: true });
    const button = page.getByRole('button', { name: 'Generate speech' });
    await field.fill('  ');
    await shows(page, 'Enter some text');
    expect([await field.getAttribute('aria-invalid'), await button.isDisabled()]).toEqual(['true', true]);
    await field.fill(words);
    expect([await page.getByText('Enter some text').count(), await button.isDisabled()]).toEqual([0, false]);
    await pick(page, 'Voice', /^nova/);
    await goTo(page, 'Usage');
    await heading(page, 'Usage');
    await page.goBack();
    expect(await field.inputValue()).toBe(words);
    await page.reload();
    expect(await field.inputValue()).toBe(words);
    await shows(page, /^Female, lively/);
    await signOut(page);
    expect(await tracesOf(page, 'heron')).toEqual([]);
  });

  test('a text of an ended session is not shown to another person in the tab', async () => {
    const { page } = await member('/playground?tab=speech');
    await page.getByLabel('Text', { exact: true }).fill(words);
    await become(page, await service.person());
    await page.goto('/playground?tab=speech');
    await eventually(() => page.getByLabel('Text', { exact: true }).inputValue()).toMatch(/^Good morning\./);
    expect(await tracesOf(page, 'heron')).toEqual([]);
  });

  test('speech plays only in the visible tab', async () => {
    const { page } = await member('/playground?tab=speech');
    await page.getByLabel('Text', { exact: true }).fill(`${words} `.repeat(10));
    const { promise: isAway, resolve: leave } = Promise.withResolvers<void>();
    await page.route('**/api/ai/speech', async (route) => {
      await isAway;
      await route.continue();
    });
    await press(page, 'Generate speech');
    await page.getByRole('tab', { name: 'Transcription' }).click();
    leave();
    await page.getByRole('button', { name: 'Download speech.mp3', includeHidden: true }).waitFor({ state: 'attached' });
    await page.getByRole('tab', { name: 'Text-to-speech' }).click();
    await press(page, 'Play');
    await eventually(() => secondsIn(page, 'Generated speech')).toBeGreaterThan(0.2);
    await page.getByRole('tab', { name: 'Transcription' }).click();
    await page.getByRole('tab', { name: 'Text-to-speech' }).click();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  });

  test('a browser that blocks autoplay shows the player', async () => {
    const page = await visit(await service.person());
    await page.addInitScript(
      `HTMLMediaElement.prototype.play = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
    );
    await page.goto('/playground?tab=speech');
    await press(page, 'Generate speech');
    await shows(page, /^\d\.\d s, 50 credits$/);
    expect(await page.getByRole('button', { name: 'Play', exact: true }).isEnabled()).toBe(true);
  });

  test("the page describes the demo engine's audio only if no model is configured", async () => {
    const { page } = await member('/playground?tab=transcription');
    await shows(page, /^Local mode transcribes only speech from the Text-to-speech tab/);
    await looksWellAtAnyWidth(page, 'playground-transcription-local');
    await page.getByRole('tab', { name: 'Text-to-speech' }).click();
    const format = page.getByRole('combobox', { name: 'Format' });
    const flac = page.getByRole('option', { name: /^FLAC/ });
    await format.click();
    await shows(page, 'FLAC, needs --audio-url');
    expect(await flac.getAttribute('data-combobox-disabled')).toBe('true');
    expect(await findings(page)).toEqual([]);

    await page.route('**/config.json', (route) =>
      route.fulfill({ json: { googleClientId: null, local: true, demoSpeechFormats: null } }),
    );
    await page.goto('/playground?tab=speech');
    await format.click();
    await flac.click();
    await page.getByRole('tab', { name: 'Transcription' }).click();
    await page.getByRole('button', { name: 'Record' }).waitFor();
    expect(await page.getByText('Local mode').count()).toBe(0);
  });
}
