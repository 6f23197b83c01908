import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { speechFormats } from '#contract/audio/speech.ts';
import { containerError, type EngineReply } from '../../sagemaker/engine.ts';
import { firstProblem } from '../request.ts';
import { SpeechOrder } from './speech-order.ts';
import { spokenByProcess } from './speech-process.ts';

const { voice, format, speed } = SpeechOrder.entries;
const SpeechBody = v.object({ input: v.string(), voice, response_format: format, speed });

/**
 * Speaks English by Flite. The texts wait for each other; a caller who leaves ends its own, and one that reads slowly keeps nobody
 * waiting: its audio stays in memory.
 */
export function demoSpeech() {
  const closing = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  async function speak(body: unknown, signal: AbortSignal): Promise<EngineReply> {
    const parsed = v.safeParse(SpeechBody, body);
    if (!parsed.success) return containerError(400, firstProblem(parsed.issues));
    const { input, response_format, ...spokenHow } = parsed.output;
    const text = readable(input);
    if (!/[a-z0-9]/i.test(text)) return containerError(400, 'The demo engine speaks English, and the text has none.');
    return {
      kind: 'stream',
      contentType: speechFormats[response_format],
      chunks: spoken({ ...spokenHow, text, format: response_format }, signal),
    };
  }

  async function* spoken(order: SpeechOrder, caller: AbortSignal): AsyncGenerator<Uint8Array> {
    const signal = AbortSignal.any([caller, closing.signal]);
    const audio = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER });
    last = last.then(() => pipeline(spokenByProcess(order, signal), audio)).catch(() => undefined);
    yield* audio;
  }

  async function close(): Promise<void> {
    closing.abort();
    await last;
  }

  return { speak, close };
}

/** In the letters that Flite reads: accents go, other scripts become pauses. */
const readable = (text: string): string =>
  text
    .replaceAll(/[\u2018\u2019]/g, "'")
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\n\x20-\x7e]+/g, ' ');
