import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audioFacts, rangedFacts } from '#gateways/audio/audio-facts.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

const run = promisify(execFile);

/** Installs a package into its own folder. Returns the path of its Python, or the reason why it cannot be installed. */
async function installPackage(
  folder: string,
  requirement: string,
): Promise<{ readonly python: string } | { readonly reason: string }> {
  const python = join(folder, 'bin/python');
  try {
    await run('python3', ['-m', 'venv', folder]);
  } catch {
    return { reason: 'python3 with venv is not installed' };
  }
  try {
    const options = ['--disable-pip-version-check', '--only-binary', ':all:', '--no-deps'];
    await run(python, ['-m', 'pip', 'install', '--quiet', ...options, requirement], { timeout: 120_000 });
  } catch {
    return { reason: `no registry has ${requirement} for this Python` };
  }
  return { python };
}

/** Its wheel contains the command. */
const wheel = 'imageio-ffmpeg==0.8.1';
const printPath = 'import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())';

/** The FFmpeg command of the system or of a separate folder, or the reason why it is missing. */
async function findFfmpeg(folder: string): Promise<{ readonly ffmpeg: string } | { readonly reason: string }> {
  const isThere = await run('ffmpeg', ['-version']).then(
    () => true,
    () => false,
  );
  if (isThere) return { ffmpeg: 'ffmpeg' };
  const installed = await installPackage(folder, wheel);
  if ('reason' in installed) return installed;
  const { stdout } = await run(installed.python, ['-c', printPath]);
  return { ffmpeg: stdout.trim() };
}

/** A small recognizer whose wheel contains an English model. */
const recognizer = 'pocketsphinx==5.0.4';
const script = 'test/support/audio/recognize.py';

/** Installs the recognizer into its own folder. Returns the reason if that fails. */
const installRecognizer = (folder: string) => installPackage(folder, recognizer);

/** The recognized text of each recording, which has 24,000 samples per second. */
async function recognize(python: string, folder: string, recordings: readonly Buffer[]): Promise<string[]> {
  const paths = recordings.map((_, at) => join(folder, `${at}.raw`));
  await Promise.all(recordings.map((samples, at) => writeFile(paths[at] ?? '', slower(samples))));
  const { stdout } = await run(python, [script, ...paths]);
  return stdout.trimEnd().split('\n');
}

/** Converts three samples to two, because the recognizer expects 16,000 per second. */
function slower(samples: Buffer): Buffer {
  const count = Math.floor(samples.length / 6) * 2;
  const at = (index: number): number => samples.readInt16LE(Math.min(index * 2, samples.length - 2));
  const taken = Buffer.alloc(count * 2);
  for (let index = 0; index < count; index++) {
    const place = index * 1.5;
    const whole = Math.floor(place);
    const part = place - whole;
    taken.writeInt16LE(Math.round(at(whole) * (1 - part) + at(whole + 1) * part), index * 2);
  }
  return taken;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z']+/g) ?? [];

/** The number of words that two texts have in common in the same order. */
function wordsInOrder(spoken: readonly string[], heard: readonly string[]): number {
  let before = Array<number>(heard.length + 1).fill(0);
  for (const word of spoken) {
    const row = [0];
    for (const [at, other] of heard.entries())
      row.push(word === other ? (before[at] ?? 0) + 1 : Math.max(before[at + 1] ?? 0, row[at] ?? 0));
    before = row;
  }
  return before.at(-1) ?? 0;
}

const sentences = [
  'Good morning. The weather is very nice today, and we are going to walk to the river with our friends.',
  'Please bring me a glass of water and a piece of bread. The children are playing in the garden behind the house.',
  'It was a cold night, and the people of the small town stayed at home and read the paper.',
];
const voices = ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'];

let service: TestService;
let key: string;
let folder: string;
let found: Awaited<ReturnType<typeof findFfmpeg>>;

beforeAll(async () => {
  folder = await testFolder();
  if (!process.env['LONG']) return;
  found = await findFfmpeg(join(folder, 'ffmpeg'));
  service = await startTestService();
  ({ key } = await service.person({ planRank: 4 }));
}, 150_000);
afterAll(async () => {
  await service?.close();
  await removeFolder(folder);
});

async function spoken(text: string, voice: string, format: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${key}`, accept: 'audio/*', 'content-type': 'application/json' };
  const body = JSON.stringify({ text, voice, format });
  const response = await fetch(`${service.origin}/api/ai/speech`, { method: 'POST', headers, body });
  return Buffer.from(await response.arrayBuffer());
}

/** Seconds of sound that FFmpeg decodes from a file. */
async function decodedSeconds(ffmpeg: string, path: string): Promise<number> {
  const rate = 8000;
  const options = ['-v', 'error', '-i', path, '-f', 's16le', '-ac', '1', '-ar', `${rate}`, '-'];
  const { stdout } = await run(ffmpeg, options, { encoding: 'buffer', maxBuffer: 2 ** 26 });
  return stdout.length / 2 / rate;
}

/** FFmpeg arguments by format. */
const formats: Readonly<Record<string, readonly string[]>> = {
  'constant.mp3': ['-c:a', 'libmp3lame', '-b:a', '64k'],
  'variable.mp3': ['-c:a', 'libmp3lame', '-q:a', '4'],
  'layer2.mp2': ['-c:a', 'mp2', '-b:a', '128k'],
  'speech.aac': ['-c:a', 'aac', '-b:a', '48k'],
  'speech.m4a': ['-c:a', 'aac', '-b:a', '48k'],
  'fragmented.mp4': [
    '-c:a',
    'aac',
    '-movflags',
    'frag_keyframe+empty_moov+default_base_moof',
    '-frag_duration',
    '2000000',
  ],
  'speech.flac': ['-c:a', 'flac'],
  'speech.opus': ['-c:a', 'libopus', '-b:a', '32k'],
  'speech.ogg': ['-c:a', 'libvorbis', '-q:a', '2'],
  'speech.webm': ['-c:a', 'libopus', '-b:a', '32k'],
  'speech.wav': ['-c:a', 'pcm_s16le'],
};

/** Tolerance between decoders: a frame at each end, and the padding of the encoder. */
const toleratedSeconds = 0.15;

describe.runIf(process.env['LONG'])('audio in other tools (LONG=1)', () => {
  it.for(Object.entries(formats))('%s has the same duration in other tools', async ([name, options], { skip }) => {
    const ffmpeg = 'reason' in found ? skip(found.reason) : found.ffmpeg;
    const path = join(folder, name);
    const tone = 'sine=frequency=300:sample_rate=24000:duration=61.3,tremolo=f=0.7:d=0.9';
    await run(ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', tone, ...options, path]);
    const bytes = await readFile(path);
    const { seconds } = await audioFacts(bytes);
    const expected = await decodedSeconds(ffmpeg, path);
    expect(Math.abs(seconds - expected)).toBeLessThan(toleratedSeconds);
    const ranged = await rangedFacts(bytes.length, async (from, to) => bytes.subarray(from, to));
    if (ranged.seconds !== undefined) expect(Math.abs(ranged.seconds - expected)).toBeLessThan(2 * toleratedSeconds);
  });

  it.for(['mp3', 'wav'])('speech as %s has the duration that the service returns', async (format, { skip }) => {
    const ffmpeg = 'reason' in found ? skip(found.reason) : found.ffmpeg;
    const text = sentences[0] ?? '';
    const { body } = await service.call('POST', '/api/ai/speech', { key, body: { text, format } });
    const path = join(folder, `spoken.${format}`);
    await writeFile(path, Buffer.from(body.data.audio, 'base64'));
    const seconds = await decodedSeconds(ffmpeg, path);
    expect(Math.abs(seconds - body.data.durationSeconds)).toBeLessThan(toleratedSeconds);
  });

  it(
    'speech of each voice is at least 80 % recognized by an independent recognizer',
    { timeout: 300_000 },
    async ({ skip }) => {
      const installed = await installRecognizer(join(folder, 'python'));
      const python = 'reason' in installed ? skip(installed.reason) : installed.python;
      for (const voice of voices) {
        const recordings: Buffer[] = [];
        for (const sentence of sentences) recordings.push(await spoken(sentence, voice, 'pcm'));
        const heard = await recognize(python, folder, recordings);
        const counts = sentences.map((sentence, at) => wordsInOrder(wordsOf(sentence), wordsOf(heard[at] ?? '')));
        const all = sentences.flatMap(wordsOf).length;
        const share = counts.reduce((sum, count) => sum + count, 0) / all;
        console.log(`${voice}: ${Math.round(share * 100)} % of ${all} words heard`);
        expect(share).toBeGreaterThanOrEqual(0.8);
      }
    },
  );
});
