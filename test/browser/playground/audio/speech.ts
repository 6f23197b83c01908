import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { keysSent, tracesOf } from '../../accounts/shared-browser.ts';
import { findings, looksWell } from '../../pages/findings.ts';
import {
  eventually,
  member,
  pick,
  press,
  saved,
  service,
  shows,
  signOut,
  visit,
  become,
  goTo,
  heading,
} from '../../stage.ts';

export function speechTests(): void {
  test('generated speech is played, visualized, saved, and transcribed with words linked to the audio', async () => {
    const { page } = await member('/playground?tab=speech');
    await shows(page, /^\d+ of 4,096 characters, 50 credits$/);
    await pick(page, 'Voice', /^nova\s*Female, lively, English$/);
    await shows(page, 'Request, response, credits and times appear here.');
    await press(page, 'Generate speech');
    const position = positionIn(page, 'Generated speech');
    await eventually(() => secondsIn(page, 'Generated speech')).toBeGreaterThan(0.2);
    await press(page, 'Pause');
    await shows(page, /^\d\.\d s, 50 credits$/);
    const bars = position.locator('path').first();
    await eventually(() => bars.getAttribute('d')).toMatch(/^(M[\d.]+ [\d.]+v[\d.]+){50,}$/);
    expect(await page.locator('dl').first().textContent()).toMatch(/^Total time[\d.]+ m?s.*Credits50$/);
    await position.press('End');
    await eventually(() => secondsIn(page, 'Generated speech')).toBeGreaterThan(3);
    await position.press('Home');
    await eventually(() => secondsIn(page, 'Generated speech')).toBe(0);
    await position.click();
    await eventually(() => secondsIn(page, 'Generated speech')).toBeGreaterThan(1.5);
    const speech = await saved(page, 'Download speech.mp3');
    expect([speech.name, speech.bytes.length > 10_000]).toEqual(['speech.mp3', true]);
    await looksWellAtAnyWidth(page, 'playground-speech');

    await page.getByRole('tab', { name: 'Transcription' }).click();
    await chooseFile(page, 'morning.mp3', speech.bytes);
    await shows(page, /^morning\.mp3, [\d.]+ KiB, \d\.\d s: about 0\.\d credits$/);
    await press(page, 'Transcribe');
    const transcript = page.getByRole('region', { name: 'Transcript' });
    await shows(page, /^\d\.\d s, 0\.\d credits$/);
    expect(await transcript.getByRole('listitem').allTextContents()).toEqual([
      '0:00Good morning. ',
      expect.stringMatching(/^0:01These words were written/),
    ]);
    await transcript.getByRole('button', { name: 'hear' }).click();
    await eventually(() => secondsIn(page, 'Audio')).toBeGreaterThan(3);
    await eventually(() => transcript.locator('button[data-current=true]').textContent()).toMatch(/hear|them/);
    await page.getByRole('button', { name: 'Play from 0:01' }).focus();
    await page.keyboard.press('Enter');
    await eventually(() => secondsIn(page, 'Audio')).toBeLessThan(3);
    const { name, bytes } = await saved(page, 'Download .srt');
    expect([name, bytes.toString()]).toEqual([
      'morning.srt',
      expect.stringMatching(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\nGood morning\.\n\n2\n/),
    ]);
    expect((await saved(page, 'Download .vtt')).bytes.toString()).toMatch(/^WEBVTT\n\n00:00:00\.000 --> /);
    expect((await saved(page, 'Download .txt')).bytes.toString()).toMatch(/^Good morning\. These .* them\.\n$/);
    await looksWellAtAnyWidth(page, 'playground-transcription');

    const sent = keysSent(page);
    await press(page, 'Transcribe');
    await eventually(() => sent.keys.length).toBe(1);
    await signOut(page);
    expect(await tracesOf(page, 'morning')).toEqual([]);
    expect(await page.evaluate('document.querySelectorAll("audio").length')).toBe(0);
  });

  test('a recording without a stored length is played, sought and transcribed, and ends when its tab is left', async () => {
    const { page } = await member('/playground?tab=transcription');
    await press(page, 'Record');
    const level = page.getByRole('meter', { name: 'Input level' });
    await eventually(async () => Number(await level.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
    expect(await findings(page)).toEqual([]);
    await shows(page, /^0:02 of 5:00$/);
    await press(page, 'Stop recording');
    await shows(page, /^recording\.webm, [\d.]+ KiB, \d\.\d s: about 0\.\d credits$/);
    await positionIn(page, 'Audio').press('End');
    await eventually(() => secondsIn(page, 'Audio')).toBeGreaterThan(1.9);
    await positionIn(page, 'Audio').press('Home');
    await press(page, 'Play');
    await eventually(() => secondsIn(page, 'Audio')).toBeGreaterThan(0.2);
    await press(page, 'Transcribe');
    await shows(page, /^\[\d seconds? of sound: the demo engine reads only its own speech\]$/);
    await press(page, 'Record');
    await eventually(() => page.getByRole('button', { name: 'Transcribe' }).isDisabled()).toBe(true);
    await press(page, 'Discard');
    await shows(page, /^recording\.webm, [\d.]+ KiB, \d\.\d s/);
    await chooseFile(page, 'other.mp3', Buffer.from('Dear friend'));
    await shows(page, /^other\.mp3/);
    await press(page, 'Record');
    await shows(page, /^0:01 of 5:00$/);
    await page.getByRole('tab', { name: 'Text-to-speech' }).click();
    await page.getByRole('tab', { name: 'Transcription' }).click();
    await shows(page, /^recording\.webm, [\d.]+ KiB, \d\.\d s/);
  });

  test('a recording ends after five minutes and releases the microphone', async () => {
    const page = await visit(await service.person());
    await page.addInitScript(`{
      const { getUserMedia } = MediaDevices.prototype;
      MediaDevices.prototype.getUserMedia = async function (...request) {
        return (window.stream = await getUserMedia.apply(this, request));
      };
    }`);
    await page.clock.install();
    await page.goto('/playground?tab=transcription');
    await press(page, 'Record');
    await shows(page, /^0:0[1-9] of 5:00$/);
    await page.clock.fastForward('05:01');
    await shows(page, /^recording\.webm/);
    expect(await page.evaluate('stream.getTracks().map(({ readyState }) => readyState)')).toEqual(['ended']);
  });

  test('the page shows why recording is unavailable, and offers files instead', async () => {
    const { page } = await member('/playground?tab=transcription');
    const failures = {
      NotAllowedError: 'Microphone access is blocked.',
      NotFoundError: 'No microphone found.',
      NotReadableError: 'The microphone is in use by another program.',
    };
    for (const [name, sentence] of Object.entries(failures)) {
      await page.evaluate(
        `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', '${name}'))`,
      );
      await press(page, 'Record');
      await shows(page, sentence);
    }
    await page.evaluate('delete window.MediaRecorder');
    await press(page, 'Record');
    await shows(page, 'This browser cannot record audio.');
    expect(await page.getByRole('button', { name: 'Choose file' }).isEnabled()).toBe(true);
  });

  test('the page refuses unsupported, empty or multiple files, and unspeakable texts, in place', async () => {
    const { page } = await member('/playground?tab=transcription');
    await chooseFile(page, 'long', Buffer.alloc(4 * 1024 * 1024 + 1), 'application/octet-stream');
    await shows(page, /^Unknown file format/);
    await chooseFile(page, 'empty.mp3', Buffer.alloc(0));
    await shows(page, 'The file is empty.');
    await chooseFile(page, 'letter.mp3', Buffer.from('Dear friend'));
    await shows(page, 'This browser cannot play this format.');
    await press(page, 'Transcribe');
    const unread = page.getByText('The file is not in a supported audio format, or is incomplete.');
    await unread.waitFor();
    await chooseFile(page, 'letter.pdf', Buffer.from('%PDF'), 'application/pdf');
    await shows(page, '“letter.pdf” is not audio. Choose a file in one of the formats above.');
    expect(await unread.count()).toBe(0);
    const dataTransfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      for (const name of ['a.mp3', 'b.mp3']) transfer.items.add(new File(['a'], name));
      return transfer;
    })()`);
    await page.getByRole('button', { name: 'Choose file' }).dispatchEvent('drop', { dataTransfer });
    await shows(page, 'One file at a time.');
    expect(await page.getByText('a.mp3').count()).toBe(0);

    await page.getByRole('tab', { name: 'Text-to-speech' }).click();
    await page.getByLabel('Text', { exact: true }).fill('😀'.repeat(4097));
    await shows(page, 'Enter at most 4,096 characters');
    expect(await page.getByRole('button', { name: 'Generate speech' }).isDisabled()).toBe(true);
    await page.getByLabel('Text', { exact: true }).fill('Доброе утро.');
    await press(page, 'Generate speech');
    await shows(
      page,
      /cannot speak this text with the voice alloy as mp3. Change the text, the voice or the format\.$/,
    );
    await shows(page, '100 credits left');
  });

  test('stopped or truncated speech shows its cost, and can be retried', async () => {
    const { page } = await member('/playground?tab=speech', { planRank: 2 });
    const field = page.getByLabel('Text', { exact: true });
    await field.fill('The river runs by the old stone house. '.repeat(100));
    const begun = page.waitForResponse('**/api/ai/speech');
    await press(page, 'Generate speech');
    await begun;
    await press(page, 'Stop');
    await shows(page, 'Interrupted. 200 credits charged.');

    await field.fill('One more sentence is here. '.repeat(10));
    await pick(page, 'Format', /^PCM/);
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'cut', count: 1 });
    await press(page, 'Generate speech');
    await shows(page, 'Interrupted. 50 credits charged.');
    await press(page, 'Retry');
    await page.getByRole('button', { name: 'Download speech.pcm' }).waitFor();
    await positionIn(page, 'Generated speech').press('End');
    await eventually(() => secondsIn(page, 'Generated speech')).toBeGreaterThan(10);
  });
}

/** The position of a player as text. */
const positionIn = (page: Page, player: string) =>
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
