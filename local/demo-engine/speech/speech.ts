import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { speechFormats } from '#contract/audio/speech.ts';
import { loadAudioFacts, loadRangedFacts } from '#runtime/services/audio-calls.ts';
import { containerError, type EngineReply } from '../../sagemaker/engine.ts';
import { firstProblem } from '../request.ts';
import { speechFolder, SpeechOrder, decodeTranscript } from './speech-data.ts';

const { voice, format, speed } = SpeechOrder.entries;
const SpeechBody = v.object({ input: v.string(), voice, response_format: format, speed });

/** Maximum texts synthesized concurrently. More would only share the processors of one machine. */
const maxProcesses = 2;

/** Maximum milliseconds of the process of one text. The longest text, at the lowest speed, needs about 10 s. */
const maxSynthesisMs = 60_000;

/**
 * Synthesizes English with Flite, at most two texts at a time. A text ends when its client disconnects, at its
 * deadline, or when the engine closes. Audio stays in memory until the client reads it, so a slow client delays no
 * other text.
 */
export function demoSpeech({ deadlineMs = maxSynthesisMs } = {}) {
  const closing = new AbortController();
  const pool = createPool(maxProcesses);

  async function speak(body: unknown, signal: AbortSignal): Promise<EngineReply> {
    const parsed = v.safeParse(SpeechBody, body);
    if (!parsed.success) return containerError(400, firstProblem(parsed.issues));
    const { input, response_format, ...spokenHow } = parsed.output;
    const text = readable(input);
    if (!/[a-z0-9]/i.test(text))
      return containerError(400, 'The demo engine speaks only English, and the text contains none.');
    return {
      kind: 'stream',
      contentType: speechFormats[response_format],
      chunks: spoken({ ...spokenHow, text, format: response_format }, signal),
    };
  }

  async function* spoken(order: SpeechOrder, caller: AbortSignal): AsyncGenerator<Uint8Array> {
    const leaving = new AbortController();
    const signal = AbortSignal.any([caller, closing.signal, leaving.signal]);
    const audio = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER });
    const speaking = pool.run(() => {
      const timed = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
      return pipeline(synthesizeInProcess(order, timed), audio);
    }, signal);
    speaking.catch((error: Error) => audio.destroy(error));
    try {
      yield* audio;
    } finally {
      leaving.abort();
    }
  }

  async function close(): Promise<void> {
    closing.abort();
    await pool.idle();
  }

  return { speak, close };
}

function createPool(size: number) {
  let free = size;
  const running = new Set<Promise<void>>();
  const waiting: (() => void)[] = [];

  /**
   * Rejects with the signal's reason if it aborts before the work starts. Running work must handle the signal itself.
   */
  async function run(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) free -= 1;
    else await turn(signal);
    const result = work();
    running.add(result);
    try {
      await result;
    } finally {
      running.delete(result);
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  }

  function turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(begin), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    waiting.push(begin);
    return promise;
  }

  return { run, idle: () => Promise.allSettled(running) };
}

/** Reduces the text to the letters that Flite reads: removes accents and replaces other scripts with spaces. */
const readable = (text: string): string =>
  text
    .replaceAll(/[\u2018\u2019]/g, "'")
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\n\x20-\x7e]+/g, ' ');

const program = fileURLToPath(new URL('./speak.ts', import.meta.url));

/**
 * V8 can crash when it frees WebAssembly code while other threads compile ("Check failed:
 * jit_page_->allocations_.erase(addr) == 1", https://github.com/nodejs/node/issues/64500). Speech therefore runs in its
 * own process, which never frees such code.
 */
const execArgv = ['--no-wasm-code-gc', '--disable-warning=ExperimentalWarning'];

/**
 * Streams the audio of a text from a new process. The first bytes arrive after about 200 ms. Throws if the process
 * fails or the signal aborts, which kills it.
 */
async function* synthesizeInProcess(order: SpeechOrder, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), speechFolder));
  try {
    const child = spawn(process.execPath, [...execArgv, program, folder, String(process.pid)], {
      env: {},
      stdio: ['pipe', 'pipe', 'inherit'],
      signal,
      killSignal: 'SIGKILL',
      // Runs in its own session, so that Ctrl-C in the terminal does not end it before pending requests.
      detached: true,
      windowsHide: true,
    });
    const ended = once(child, 'close');
    ended.catch(() => undefined);
    child.stdin.on('error', () => undefined).end(JSON.stringify(order));
    try {
      yield* child.stdout;
      const [code, killedBy] = await ended;
      if (code !== 0) throw new Error(`the speech process ended (${killedBy ?? `exit code ${code}`})`);
    } finally {
      child.kill('SIGKILL');
    }
  } finally {
    // The process may still write to it.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  }
}

/**
 * Returns the transcript that the demo engine stored in the metadata of its own speech. For other audio, the text only
 * names its length.
 */
export async function demoTranscription(form: FormData): Promise<EngineReply> {
  const file = form.get('file');
  if (!(file instanceof File)) return containerError(422, 'The form must have a part named file.');
  const ends = await endsOf(file);
  const known = await secondsOf(file, ends);
  if (known === undefined) return containerError(400, 'The file is not audio.');
  const transcript = decodeTranscript(ends);
  // Like a real model, it transcribes all speech in the file, regardless of the header.
  const duration = Math.max(known, transcript?.segments.at(-1)?.end ?? 0);
  const seconds = Math.round(duration);
  const length = `${seconds} ${seconds === 1 ? 'second' : 'seconds'} of sound`;
  const text = `[${length}: the demo engine reads only its own speech]`;
  const unknown = { text, segments: [{ start: 0, end: duration, text }], words: [] };
  const { words, ...spoken } = transcript ?? unknown;
  const isByWord = form.getAll('timestamp_granularities[]').includes('word');
  // The demo engine speaks English only, so a translation is the same text.
  const task = form.get('task') ?? 'transcribe';
  const body = { task, language: 'en', duration, ...spoken, ...(isByWord && { words }) };
  return {
    kind: 'json',
    status: 200,
    body: form.get('response_format') === 'verbose_json' ? body : { text: body.text },
  };
}

/** Files up to twice this size are read whole. Larger ones only at both ends, which contain our metadata. */
const endBytes = 4 * 1024 * 1024;

async function endsOf(file: File): Promise<Buffer> {
  const parts = file.size <= 2 * endBytes ? [file] : [file.slice(0, endBytes), file.slice(-endBytes)];
  return Buffer.concat(await Promise.all(parts.map(async (part) => Buffer.from(await part.arrayBuffer()))));
}

/**
 * Seconds of an audio file. A large file is read by its ranges, or by its beginning if only the whole file shows its
 * seconds. Undefined if it is not audio.
 */
async function secondsOf(file: File, ends: Buffer): Promise<number | undefined> {
  const factsOf = await loadAudioFacts();
  try {
    if (file.size === ends.length) return (await factsOf(ends)).seconds;
    const rangedFactsOf = await loadRangedFacts();
    const { seconds, maxSeconds } = await rangedFactsOf(file.size, (from, to) => file.slice(from, to).bytes());
    if (seconds !== undefined || maxSeconds !== undefined) return Math.max(seconds ?? 0, maxSeconds ?? 0);
    return ((await factsOf(ends.subarray(0, endBytes))).seconds * file.size) / endBytes;
  } catch {
    return undefined;
  }
}
