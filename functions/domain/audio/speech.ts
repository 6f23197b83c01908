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
import type { ModelCall, Order } from '../inference/order.ts';
import { StreamedBytes } from '../inference/streamed-response.ts';
import { pricePerStarted } from '../meter/pricing.ts';
import { ServiceError } from '../shared/service-error.ts';
import { codePoints } from '../shared/text.ts';
import { checkedAudio } from './checked-audio.ts';

export interface SpeechOrder extends Order {
  readonly format: SpeechFormat;
  readonly characters: number;
  readonly stream: boolean;
  readonly call: ModelCall<AudioStream>;
}

export type DurationOf = (bytes: Buffer, format: SpeechFormat) => Promise<number>;

/** Text-to-speech (docs/audio.md): as a JSON envelope, or as a stream of audio. */
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

/** Upper bound of letters and digits per second at normal speed: twice the rate of fast speech. */
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

export interface ModelSpeechRequest {
  readonly input: string;
  readonly voice: Voice;
  readonly response_format: SpeechFormat;
  readonly speed: number;
}

export interface SpeechGateway {
  speech(model: string, request: ModelSpeechRequest): ModelCall<AudioStream>;
}

/** Must be consumed immediately, because its deadline is already running. */
export interface AudioStream {
  readonly chunks: AsyncGenerator<Buffer>;
  readonly cancel: () => void;
}
