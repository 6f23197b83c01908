import {
  maxEnvelopedAudioBytes,
  type Speech,
  type SpeechFormat,
  speechFormats,
  type SpeechRequest,
  type Voice,
} from '#contract/audio/speech.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { ResponseKind } from '#contract/http/request.ts';
import type { ModelCall } from '../inference/model-gateway.ts';
import type { Order } from '../inference/order.ts';
import { StreamedBytes } from '../inference/streamed-response.ts';
import { pricePerStarted } from '../meter/pricing.ts';
import { ServiceError } from '../shared/service-error.ts';
import { codePoints } from '../shared/text.ts';
import { checkedAudio } from './checked-audio.ts';

/** A text ready to be admitted and spoken; its `amount` is exact. */
export interface SpeechOrder extends Order {
  readonly format: SpeechFormat;
  /** Code points. */
  readonly characters: number;
  readonly stream: boolean;
  readonly call: ModelCall<AudioStream>;
}

/** Seconds that an audio file of this format lasts. Fails where it is none. */
export type DurationOf = (bytes: Buffer, format: SpeechFormat) => Promise<number>;

/** Text-to-speech (docs/audio.md): whole in an envelope, or as the bytes of the file while it is made. */
export function speechService(gateway: SpeechGateway, durationOf: DurationOf) {
  function order({ text, voice, format, speed, model }: SpeechRequest, kind: ResponseKind): SpeechOrder {
    const characters = codePoints(text);
    if (kind !== 'audio' && minSpeechBytes(text, format, speed) > maxEnvelopedAudioBytes) throw tooLong('would have');
    const call = gateway.speech(model, { input: text, voice, response_format: format, speed });
    const amount = pricePerStarted('audio', characters);
    return { model, amount, format, characters, stream: kind === 'audio', call };
  }

  /** Charged once any audio was delivered. */
  function stream({ amount, format, call }: SpeechOrder): StreamedBytes {
    const { chunks, cancel } = call.send();
    return new StreamedBytes(speechFormats[format], checkedAudio(chunks, format), async () => amount, cancel);
  }

  /** Refuses (400) audio that no envelope holds; then nothing is charged. */
  async function whole({ amount, format, characters, call }: SpeechOrder): Promise<Speech> {
    const { chunks, cancel } = call.send();
    const bytes = await collected(checkedAudio(chunks, format), cancel);
    const seconds = await durationOf(bytes, format).catch((cause: unknown) => {
      throw new ServiceError('MODEL_ERROR', 'The model returned an invalid response.', { cause });
    });
    return {
      audio: bytes.toString('base64'),
      contentType: speechFormats[format],
      durationSeconds: Math.round(seconds * 1000) / 1000,
      characters,
      credits: amount / microPerCredit,
    };
  }

  return { order, stream, whole };
}

async function collected(chunks: AsyncIterable<Buffer>, cancel: () => void): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of chunks) {
    length += piece.length;
    if (length > maxEnvelopedAudioBytes) {
      cancel();
      throw tooLong('has');
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}

/** Letters and digits per second that no voice exceeds at its normal speed: twice the rate of fast speech. */
const maxSpokenPerSecond = 30;

/** Minimum bytes per second of the uncompressed formats: 24,000 16-bit samples for `pcm`, 16,000 for `wav`. */
const minBytesPerSecond: Partial<Record<SpeechFormat, number>> = { pcm: 48_000, wav: 32_000 };

/** Minimum bytes of the audio of a text; 0 if the format does not determine them. */
function minSpeechBytes(text: string, format: SpeechFormat, speed: number): number {
  const spoken = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return (spoken / maxSpokenPerSecond / speed) * (minBytesPerSecond[format] ?? 0);
}

const tooLong = (verb: 'has' | 'would have') =>
  new ServiceError(
    'INVALID_FORMAT',
    `The audio ${verb} more than ${maxEnvelopedAudioBytes} bytes, the maximum of a JSON response. Send Accept: audio/* for the raw audio, choose another format, or shorten text.`,
  );

/** A text for a speech model, as the request of OpenAI's speech API that its container takes. */
export interface ModelSpeechRequest {
  readonly input: string;
  readonly voice: Voice;
  readonly response_format: SpeechFormat;
  readonly speed: number;
}

/** The models that speak; failures are those of every model. */
export interface SpeechGateway {
  speech(model: string, request: ModelSpeechRequest): ModelCall<AudioStream>;
}

/** To be read immediately: its time runs from the beginning. */
export interface AudioStream {
  /** The file's bytes in order, in pieces of any size; at least one. */
  readonly chunks: AsyncGenerator<Buffer>;
  /** Ends the model's work. */
  readonly cancel: () => void;
}
