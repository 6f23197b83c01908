import { boundedChunks } from '../sagemaker/bounded-chunks.ts';
import type { Engine } from '../sagemaker/engine.ts';
import type { PhoneStore } from './phone-store.ts';
import { speechVoice } from './voices.ts';

/** What is heard of a call, or why nothing is. */
export type Heard =
  | { readonly is: 'audio'; readonly contentType: string; readonly bytes: Uint8Array }
  | { readonly is: 'refused'; readonly status: number; readonly error: string };

const maxBytes = 8 * 1024 * 1024;
const maxMs = 60_000;
/** Calls that are spoken at the same moment. */
const maxConcurrent = 2;

const refused = (status: number, error: string): Heard => ({ is: 'refused', status, error });

/** Lets a person hear the calls that reached the phone, each in a voice that stands for its own. Nothing of them is kept or logged. */
export function phoneCalls(phones: PhoneStore, { speak }: Required<Pick<Engine, 'speak'>>) {
  let running = 0;

  /** `signal` aborts when nobody listens any more. */
  async function hear(id: string, signal: AbortSignal): Promise<Heard> {
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

  async function spoken(text: string, voice: string, signal: AbortSignal): Promise<Heard> {
    const order = { model: 'svc-speech', input: text, voice: speechVoice(voice), response_format: 'mp3', speed: 1 };
    const reply = await speak(order, signal);
    if (reply.kind === 'json') return refused(422, 'The speech engine cannot speak this text; read it instead.');
    const bytes = Buffer.concat(await Array.fromAsync(boundedChunks(reply.chunks, maxBytes)));
    return { is: 'audio', contentType: reply.contentType, bytes };
  }

  return { hear };
}
