import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { demoSpeech } from '#local/demo-engine/speech/speech.ts';
import { processesWith } from '#test/service/local-command.ts';

const speeches: ReturnType<typeof demoSpeech>[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(speeches.splice(0).map(({ close }) => close()));
});

function speechOf(options = {}) {
  const speech = demoSpeech(options);
  speeches.push(speech);
  const spoken = async function* (input: string, { signal } = new AbortController()): AsyncGenerator<Uint8Array> {
    const reply = await speech.speak({ input, voice: 'onyx', response_format: 'pcm', speed: 4 }, signal);
    if (reply.kind === 'stream') yield* reply.chunks;
  };
  return { spoken, close: speech.close };
}

async function bytesOf(audio: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of audio) bytes += chunk.length;
  return bytes;
}

const speechProgram = join(import.meta.dirname, '../../../local/demo-engine/speech/speak.ts');
const newFolder = () => mkdtempSync(join(tmpdir(), 'speech-test-'));
const long = 'One more sentence is here. '.repeat(1000);

const aborted = { status: 'rejected', reason: expect.objectContaining({ name: 'AbortError' }) };

/** Starts a text whose process hangs. The command line contains the folder's name. */
async function hanging(folder: string, audio: AsyncGenerator<Uint8Array>) {
  const { execPath } = process;
  const program = join(folder, 'hang');
  writeFileSync(program, '#!/bin/sh\nkill -STOP $$\n', { mode: 0o755 });
  process.execPath = program;
  try {
    const bytes = bytesOf(audio);
    bytes.catch(() => undefined);
    await expect.poll(() => processesWith(folder), { timeout: 10_000 }).toHaveLength(1);
    return { bytes };
  } finally {
    process.execPath = execPath;
  }
}

test('a hanging text delays no other text, fails at its deadline, and its process ends', async () => {
  const folder = newFolder();
  const { spoken } = speechOf({ deadlineMs: 2000 });
  const { bytes } = await hanging(folder, spoken('Good day.'));
  expect(await bytesOf(spoken('Good day.'))).toBeGreaterThan(0);
  await expect(bytes).rejects.toThrow('aborted');
  await expect.poll(() => processesWith(folder)).toEqual([]);
});

test('a text that waits for a process starts once another text ends, and fails immediately if its client disconnects', async () => {
  const { spoken } = speechOf();
  const [first, second, leaving] = [new AbortController(), new AbortController(), new AbortController()];
  const running = [spoken(long, first), spoken(long, second)];
  for (const audio of running) await audio.next();
  const [left, waits] = [bytesOf(spoken(long, leaving)), bytesOf(spoken('Good day.'))];
  leaving.abort();
  await expect(left).rejects.toMatchObject({ name: 'AbortError' });
  first.abort();
  expect(await waits).toBeGreaterThan(0);
});

test.each([
  ['exits', '/bin/false', 'the speech process ended (exit code 1)'],
  ['does not start', '/missing', 'ENOENT'],
])('a text whose process %s fails, and the next text is synthesized', async (_, program, message) => {
  const { spoken } = speechOf();
  const { execPath } = process;
  process.execPath = program;
  try {
    await expect(bytesOf(spoken(long))).rejects.toThrow(message);
  } finally {
    process.execPath = execPath;
  }
  expect(await bytesOf(spoken('Good day.'))).toBeGreaterThan(0);
});

test("a client disconnect ends the synthesis of that client's texts, even of one that waits, and the next text is synthesized", async () => {
  const { spoken } = speechOf();
  const folder = newFolder();
  vi.stubEnv('TMPDIR', folder);
  const [leaving, waiting] = [new AbortController(), new AbortController()];
  const [begun, notBegun] = [spoken(long, leaving), spoken(long, waiting)];
  await begun.next();
  const failures = [begun, notBegun].map((audio) => bytesOf(audio));
  waiting.abort();
  leaving.abort();
  expect(await Promise.allSettled(failures)).toEqual([aborted, aborted]);
  const closed = spoken(long);
  await closed.next();
  await closed.return(undefined);
  expect(await bytesOf(spoken('Good day.'))).toBeGreaterThan(0);
  await expect.poll(() => readdirSync(folder)).toEqual([]);
});

test('the process of a text ends when its service is killed', async () => {
  const folder = newFolder();
  const speaking = `import { demoSpeech } from './local/demo-engine/speech/speech.ts';
    const body = { input: '${'a.'.repeat(2000)}', voice: 'onyx', response_format: 'mp3', speed: 4 };
    const { chunks } = await demoSpeech().speak(body, new AbortController().signal);
    for await (const _ of chunks);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', speaking], {
    env: { TMPDIR: folder },
    stdio: 'ignore',
  });
  await expect.poll(() => processesWith(folder), { timeout: 10_000 }).toHaveLength(1);
  service.kill('SIGKILL');
  await expect.poll(() => processesWith(folder), { timeout: 5000 }).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['is imported', ['--input-type=module', '--eval', `await import(${JSON.stringify(speechProgram)})`, '--']],
  ['is started with a folder of others', [speechProgram]],
])('the speech program keeps the folder in its arguments if it %s', async (_, args) => {
  const folder = newFolder();
  writeFileSync(join(folder, 'kept'), '');
  const child = spawn(process.execPath, [...args, folder, String(process.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end(JSON.stringify({ text: 'Hello.', voice: 'onyx', format: 'pcm', speed: 4 }));
  await once(child, 'close');
  expect(readdirSync(folder)).toEqual(['kept']);
  rmSync(folder, { recursive: true });
});
