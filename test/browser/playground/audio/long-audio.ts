import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { encodeTranscript, transcriptOf } from '#local/demo-engine/speech/speech-data.ts';
import { wavFile } from '#test/audio/files.ts';
import { tracesOf } from '../../accounts/shared-browser.ts';
import { eventually, member, press, requestsOf, saved, service, shows, signOut } from '../../stage.ts';
import { chooseFile, looksWellAtAnyWidth, secondsIn } from './speech.ts';

/** A recording of 3 s that the demo engine recognizes, padded to `bytes` bytes by an ignored chunk (RIFF, "JUNK"). */
function paddedSpeech(bytes: number): Buffer {
  const sentences = ['Good evening.', 'The river runs by the old stone house.'];
  const mark = encodeTranscript(transcriptOf(sentences.map((text, at) => ({ text, seconds: 1 + at }))));
  const chunk = (id: string, content: Buffer): Buffer => {
    const head = Buffer.from(`${id}0000`, 'latin1');
    head.writeUInt32LE(content.length, 4);
    return Buffer.concat([head, content]);
  };
  const even = Buffer.concat([mark, Buffer.alloc(mark.length % 2)]);
  const more = Buffer.concat([chunk('LIST', even), chunk('JUNK', Buffer.alloc(bytes))]);
  return wavFile({ length: 24_000, bytes: 24_000, more });
}

const megabyte = 1024 * 1024;
const recording = paddedSpeech(5 * megabyte);
/** The upload form of storage, which has another port. */
const storage = '**/audio';

const choose = (page: Page, name: string, buffer = recording) => chooseFile(page, name, buffer, 'audio/wav');

const list = (page: Page) => page.getByRole('table', { name: 'Long transcriptions, newest first' });

/** Limits the upload speed of the page in bytes per second; -1 for no limit. */
async function throttle(page: Page, uploadThroughput: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
  await session.send('Network.emulateNetworkConditions', conditions);
}

export function longAudioTests(): void {
  test('is uploaded with progress, transcribed by a job, played by its times, and still present another day', async () => {
    const { page } = await member('/playground?tab=transcription', { planRank: 2 });
    await choose(page, 'river.wav');
    await shows(page, /^river\.wav, 5 MiB, 3\.0 s: about 0\.3 credits$/);
    await throttle(page, 3 * megabyte);
    await press(page, 'Transcribe');
    const bar = page.getByRole('progressbar', { name: 'Upload' });
    await eventually(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(20);
    await shows(page, /^Uploading: [\d.]+ (KiB|MiB) of 5 MiB, \d+%$/);
    await press(page, 'Cancel upload');
    await eventually(() => bar.count()).toBe(0);
    await throttle(page, -1);
    await press(page, 'Transcribe');
    await shows(page, /^3\.0 s, 0\.3 credits$/);
    const transcript = page.getByRole('region', { name: 'Transcript' });
    expect(await transcript.getByRole('listitem').allTextContents()).toEqual([
      '0:00Good evening. ',
      '0:01The river runs by the old stone house. ',
    ]);
    await transcript.getByRole('button', { name: 'stone' }).click();
    await eventually(() => secondsIn(page, 'Audio')).toBeGreaterThan(2);
    expect((await saved(page, 'Download .srt')).name).toBe('river.srt');
    await looksWellAtAnyWidth(page, 'playground-long-audio');

    await page.reload();
    await list(page).getByRole('button', { name: 'river.wav', exact: true }).click();
    await shows(page, 'The river runs by the old stone house.');
    await page.getByRole('button', { name: 'Download .vtt' }).waitFor();
    expect(await transcript.getByRole('button', { name: /^Play from/ }).count()).toBe(0);
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(page, 'Choose the audio file')]);
    await chooser.setFiles({ name: 'river.wav', mimeType: 'audio/wav', buffer: recording });
    await press(page, 'Play from 0:01');
    await eventually(() => secondsIn(page, 'Audio')).toBeGreaterThan(1);
    await press(page, 'Delete river.wav');
    await press(page, 'Delete transcription');
    await eventually(() => list(page).count()).toBe(0);
    await signOut(page);
    expect(await tracesOf(page, 'river')).toEqual([]);
  });

  test('is reported with the reason if the upload fails, and can be sent again', async () => {
    const { page } = await member('/playground?tab=transcription', { planRank: 2 });
    await choose(page, 'river.wav');
    await shows(page, /^The maximum cost of the file is charged when/);
    await page.route(storage, (route) => route.abort('connectionreset'), { times: 1 });
    await press(page, 'Transcribe');
    await shows(page, 'The upload was interrupted. Nothing was charged.');
    const body =
      '<Error><Code>AccessDenied</Code><Message>Invalid according to Policy: Policy expired.</Message></Error>';
    const headers = { 'access-control-allow-origin': '*' };
    await page.route(storage, (route) => route.fulfill({ status: 403, body, headers }), { times: 1 });
    await press(page, 'Retry');
    await shows(page, /^The upload took longer than one hour/);
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'error', count: 1 });
    await press(page, 'Retry');
    await shows(page, /^The transcription failed and was not charged\. Start it again\./);
    await eventually(() => list(page).getByRole('row').nth(1).textContent()).toMatch(/river\.wavFailed.*0$/);
  });

  test('shows its time and maximum cost while it runs, stops polling when it ends, and can be deleted', async () => {
    const { page } = await member('/playground?tab=transcription', { planRank: 2 });
    const reads = requestsOf(page);
    await choose(page, 'river.wav');
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'hang', count: 1 });
    await press(page, 'Transcribe');
    await shows(page, /^1 credit charged\. Unused credits are refunded\.$/);
    await shows(page, /^0:0[2-9]$/);
    await eventually(() => list(page).getByRole('row').nth(1).textContent()).toMatch(/river\.wavRunning.*3\.0 s1$/);
    await list(page).getByRole('button', { name: 'Delete river.wav' }).click();
    await shows(page, /^The transcription is still running, and you are charged for the full length of the file/);
    await press(page, 'Delete transcription');
    await eventually(() => list(page).count()).toBe(0);
    const before = reads.length;
    await page.waitForTimeout(1500);
    expect(reads.slice(before).filter((url) => url.includes('/transcriptions'))).toEqual([]);
  });

  test('shows a warning before the upload if the browser cannot play it, and its code on its own page', async () => {
    const { page } = await member('/playground?tab=transcription', { planRank: 2 });
    await choose(page, 'noise.mp3', Buffer.alloc(5 * megabyte));
    await shows(page, /^This browser cannot play the file\./);
    await press(page, 'Get code');
    const code = page.getByRole('dialog').locator('pre');
    await eventually(() => code.textContent()).toMatch(/audio\/mpeg[^]*\/api\/ai\/transcriptions/);
    await page.keyboard.press('Escape');
    await shows(page, /^noise\.mp3, 5 MiB$/);
  });

  test('from another browser is named by its start and length before it is deleted', async () => {
    const { page } = await member('/playground?tab=transcription', { planRank: 2 });
    await choose(page, 'river.wav');
    await press(page, 'Transcribe');
    await shows(page, /^3\.0 s, 0\.3 credits$/);
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await list(page)
      .getByRole('button', { name: /^Delete trn_/ })
      .click();
    await shows(page, /^Delete the transcription of \d+ \w+, \d\d:\d\d \(3\.0 s\)\?$/);
  });
}
