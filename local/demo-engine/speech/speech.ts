import * as v from 'valibot';
import { type SpeechFormat, speechFormats } from '#contract/audio/speech.ts';
import { containerError, type EngineReply } from '../../sagemaker/engine.ts';
import { firstProblem } from '../request.ts';
import type { SpeechOrder } from './messages.ts';
import { type SpeechProcess, startSpeechProcess } from './speech-process.ts';

/** Formats that it can make: for the others there is no encoder here, and it names none what is another. */
export const demoSpeechFormats = ['mp3', 'wav', 'pcm'] as const satisfies readonly SpeechFormat[];

const SpeechBody = v.object({
  input: v.string(),
  voice: v.picklist(['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer']),
  response_format: v.picklist(demoSpeechFormats, `must be one of ${demoSpeechFormats.join(', ')}`),
  speed: v.number(),
});

/**
 * Speaks English by Flite, in a process that starts with the first text: about 100 ms. The texts wait for each other; a caller who
 * leaves ends its own. A process that ends by itself fails what it was to speak, and the next text starts another.
 */
export function demoSpeech() {
  let current: SpeechProcess | undefined;

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

  async function* spoken(order: SpeechOrder, signal: AbortSignal) {
    if (!current?.isRunning()) current = startSpeechProcess();
    yield* current.spoken(order, signal);
  }

  return { speak, close: async () => current?.close() };
}

/** In the letters that Flite reads: accents go, other scripts become pauses. */
const readable = (text: string): string =>
  text
    .replaceAll(/[\u2018\u2019]/g, "'")
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\n\x20-\x7e]+/g, ' ');
