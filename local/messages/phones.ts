import * as v from 'valibot';
import type { InferOutput } from 'valibot';
import type { SpeechRequest } from '#contract/audio/speech.ts';
import { firstModelFor } from '#contract/inference/models.ts';
import { callVoices } from '#contract/messages/voices.ts';
import { boundedChunks, type Engine } from '../sagemaker/engine.ts';
import { readJsonFile, writeJsonFile } from '../shared/data-folder.ts';

/** `at` is ISO 8601. */
export const PhoneMessage = v.object({
  id: v.string(),
  channel: v.picklist(['sms', 'voice_call']),
  to: v.string(),
  text: v.string(),
  at: v.string(),
  /** Voice of a call, as in the contract. Absent for an SMS. */
  voice: v.optional(v.string()),
});
export type PhoneMessage = v.InferOutput<typeof PhoneMessage>;

export interface PhoneStore {
  add(message: PhoneMessage): Promise<void>;
  list(): PhoneMessage[];
}

const maxKept = 500;

export async function openPhoneStore(file: string): Promise<PhoneStore> {
  const messages = (await readJsonFile(file, v.array(PhoneMessage))) ?? [];
  let last: Promise<unknown> = Promise.resolve();
  return {
    add(message) {
      messages.push(message);
      messages.splice(0, messages.length - maxKept);
      const written = last.then(() => writeJsonFile(file, messages));
      last = written.catch(() => undefined);
      return written;
    },
    list: () => messages.toReversed(),
  };
}

export type CallAudio =
  | { readonly is: 'audio'; readonly contentType: string; readonly bytes: Uint8Array }
  | { readonly is: 'refused'; readonly status: number; readonly error: string };

const maxBytes = 8 * 1024 * 1024;
const maxMs = 60_000;
const maxConcurrent = 2;

const refused = (status: number, error: string): CallAudio => ({ is: 'refused', status, error });

/** Plays received calls, each in a substitute for its voice. Stores and logs no audio. */
export function phoneCalls(phones: PhoneStore, { speak }: Required<Pick<Engine, 'speak'>>) {
  let running = 0;

  async function audioOf(id: string, signal: AbortSignal): Promise<CallAudio> {
    const call = phones.list().find((message) => message.id === id && message.channel === 'voice_call');
    if (!call) return refused(404, 'There is no such call.');
    if (running >= maxConcurrent) return refused(503, 'Other calls are being spoken; try again.');
    running += 1;
    try {
      return await spoken(call.text, call.voice ?? '', AbortSignal.any([signal, AbortSignal.timeout(maxMs)]));
    } catch {
      return refused(502, 'The call could not be spoken.');
    } finally {
      running -= 1;
    }
  }

  async function spoken(text: string, voice: string, signal: AbortSignal): Promise<CallAudio> {
    const order = {
      model: firstModelFor('speech'),
      input: text,
      voice: speechVoice(voice),
      response_format: 'mp3',
      speed: 1,
    };
    const reply = await speak(order, signal);
    if (reply.kind === 'json') return refused(422, 'The speech engine cannot speak this text; read it instead.');
    const bytes = Buffer.concat(await Array.fromAsync(boundedChunks(reply.chunks, maxBytes)));
    return { is: 'audio', contentType: reply.contentType, bytes };
  }

  return { audioOf };
}

type SpeechVoice = InferOutput<typeof SpeechRequest>['voice'];

/** Male voices of calls (Amazon Polly, "Available voices"). The others are female. */
const male: ReadonlySet<string> = new Set([
  'brian',
  'cristiano',
  'enrique',
  'geraint',
  'giorgio',
  'hans',
  'jacek',
  'jan',
  'joey',
  'justin',
  'karl',
  'mads',
  'mathieu',
  'matthew',
  'maxim',
  'miguel',
  'ricardo',
  'ruben',
  'russell',
  'takumi',
]);

const men = callVoices.filter((voice) => male.has(voice));
const women = callVoices.filter((voice) => !male.has(voice));
const maleVoices = ['onyx', 'echo', 'alloy', 'fable'] as const;
const femaleVoices = ['nova', 'shimmer'] as const;

/** The speech voice that substitutes for a call's voice: of the same sex, and always the same. */
function speechVoice(voice: string): SpeechVoice {
  const isMale = male.has(voice);
  const place = (isMale ? men : women).findIndex((one) => one === voice);
  const voices = isMale ? maleVoices : femaleVoices;
  return voices[Math.max(0, place) % voices.length] ?? 'alloy';
}
