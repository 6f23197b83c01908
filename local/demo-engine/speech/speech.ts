import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as v from 'valibot';
import { type SpeechFormat, speechFormats } from '#contract/audio/speech.ts';
import { containerError, type EngineReply } from '../../sagemaker/engine.ts';
import { firstProblem } from '../request.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** Formats that it can make: for the others there is no encoder here, and it names none what is another. */
export const demoSpeechFormats = ['mp3', 'wav', 'pcm'] as const satisfies readonly SpeechFormat[];

const SpeechBody = v.object({
  input: v.string(),
  voice: v.picklist(['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer']),
  response_format: v.picklist(demoSpeechFormats, `must be one of ${demoSpeechFormats.join(', ')}`),
  speed: v.number(),
});

interface Listener {
  readonly onMessage: (message: FromWorker) => void;
}

/**
 * Speaks English by Flite, in a thread of its own, which starts with the first text: about 50 ms. The texts wait for each other; a
 * caller who leaves ends its own.
 */
export function demoSpeech() {
  const listeners = new Map<number, Listener>();
  let lastId = 0;
  let thread: { readonly worker: Worker; readonly folder: string } | undefined;

  function started(): Worker {
    if (thread) return thread.worker;
    const folder = mkdtempSync(join(tmpdir(), 'text-ai-speech-'));
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { folder },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    worker.unref();
    worker.on('message', (message: FromWorker) => listeners.get(message.id)?.onMessage(message));
    worker.on('error', (error) => ended(error.message));
    worker.on('exit', () => ended('the speech thread ended'));
    thread = { worker, folder };
    return worker;
  }

  function ended(reason: string): void {
    if (thread) rmSync(thread.folder, { recursive: true, force: true });
    thread = undefined;
    for (const [id, { onMessage }] of listeners) onMessage({ id, kind: 'failed', reason });
    listeners.clear();
  }

  async function* spoken(order: Omit<ToWorker & { kind: 'speak' }, 'id' | 'kind'>, signal: AbortSignal) {
    const id = (lastId += 1);
    const messages: FromWorker[] = [];
    let wake = (): void => undefined;
    const onMessage = (message: FromWorker): void => {
      messages.push(message);
      wake();
    };
    listeners.set(id, { onMessage });
    const worker = started();
    const post = (message: ToWorker): void => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(message);
    };
    const leave = (): void => onMessage({ id, kind: 'failed', reason: 'the caller left' });
    signal.addEventListener('abort', leave, { once: true });
    try {
      post({ id, kind: 'speak', ...order });
      while (true) {
        const message = messages.shift();
        if (message?.kind === 'audio') yield message.bytes;
        else if (message?.kind === 'failed') throw new Error(message.reason);
        else if (message) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', leave);
      listeners.delete(id);
      post({ id, kind: 'stop' });
    }
  }

  async function speak(body: unknown, signal: AbortSignal): Promise<EngineReply> {
    const parsed = v.safeParse(SpeechBody, body);
    if (!parsed.success) return containerError(400, firstProblem(parsed.issues));
    const { input, voice, response_format: format, speed } = parsed.output;
    const text = readable(input);
    if (!/[a-z0-9]/i.test(text)) return containerError(400, 'The demo engine speaks English, and the text has none.');
    return {
      kind: 'stream',
      contentType: speechFormats[format],
      chunks: spoken({ text, voice, format, speed }, signal),
    };
  }

  return {
    speak,
    close: async () => {
      await thread?.worker.terminate();
    },
  };
}

/** In the letters that Flite reads: accents go, other scripts become pauses. */
const readable = (text: string): string =>
  text
    .replaceAll(/[\u2018\u2019]/g, "'")
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\n\x20-\x7e]+/g, ' ');
