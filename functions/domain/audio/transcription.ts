import {
  largerAudio,
  maxDirectAudioBytes,
  type OpenAiTranscription,
  toSrt,
  toVtt,
  type Transcription,
  type TranscriptSegment,
  type TranscriptWord,
} from '#contract/audio/transcription.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { TextBody } from '#contract/http/format.ts';
import type { FormFile } from '#contract/http/request.ts';
import { firstModelFor } from '#contract/inference/models.ts';
import type { Order } from '../inference/order.ts';
import { secondPrice } from '../meter/pricing.ts';
import { ServiceError } from '../shared/service-error.ts';
import { containerOf, refuseOtherType } from './checked-audio.ts';

export const transcriptionModel = firstModelFor('transcription');

export interface TranscriptionInput {
  readonly model: string;
  readonly file: Omit<FormFile, 'name'>;
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
  readonly temperature?: number | undefined;
  readonly segments: boolean;
  readonly words: boolean;
}

/** `amount` covers the larger of the declared duration and the maximum for the size, because headers may be false. */
export interface TranscriptionOrder extends Order {
  readonly input: TranscriptionInput;
  readonly contentType: string;
  readonly seconds: number;
  readonly heldSeconds: number;
}

/** Container and seconds of a file, determined from its content. */
export interface AudioFacts {
  readonly container: string;
  readonly seconds: number;
  /** Maximum seconds, if another decoder may find more audio in the file. */
  readonly maxSeconds?: number;
}

export type FactsOf = (bytes: Uint8Array) => Promise<AudioFacts>;

/** Speech recognition (docs/audio.md): 0.1 credits per started second, including silence. */
export function transcriptionService(gateway: TranscriptionGateway, factsOf: FactsOf) {
  /** Throws 400 if the file is not audio or contradicts its media type, 413 if it is too large. */
  async function order(input: TranscriptionInput): Promise<TranscriptionOrder> {
    const { model, file } = input;
    if (file.bytes.length > maxDirectAudioBytes)
      throw new ServiceError(
        'PAYLOAD_TOO_LARGE',
        `The audio may have at most ${maxDirectAudioBytes} bytes. ${largerAudio}`,
      );
    const facts = await factsOf(file.bytes).catch((cause: unknown) => {
      throw new ServiceError('INVALID_FORMAT', 'The file is not in a supported audio format, or is incomplete.', {
        cause,
      });
    });
    const container = containerOf(facts.container);
    refuseOtherType(file.contentType, container);
    const { seconds, maxSeconds = 0 } = facts;
    const heldSeconds = Math.max(seconds, maxSeconds, file.bytes.length / container.maxBytesPerSecond);
    const amount = secondPrice('transcription', heldSeconds);
    const order = { model, amount, input, contentType: container.type, seconds, heldSeconds };
    /** If the credits cover only the known duration, holds all remaining credits. */
    const within = async (budget: number) =>
      budget >= secondPrice('transcription', seconds) ? { ...order, amount: Math.min(amount, budget) } : undefined;
    return { ...order, within };
  }

  /** Charges the larger of our duration and the model's, up to the hold. */
  async function transcribe({ model, amount, input, contentType, seconds, heldSeconds }: TranscriptionOrder) {
    const { file, language, prompt, temperature, words, segments } = input;
    const { bytes } = file;
    const transcript = await gateway.transcribe(model, { bytes, contentType, language, prompt, temperature, words });
    const known = transcript.duration ?? heldSeconds;
    if (known > toleratedSeconds(heldSeconds) && secondPrice('transcription', known) > amount)
      throw known > bytes.length / minBytesPerSecond ? invalidReply(model) : longerThanHeld();
    if (segments && lacksSegments(transcript)) throw invalidReply(model);
    const durationSeconds = rounded(Math.max(seconds, known));
    const cost = secondPrice('transcription', durationSeconds);
    const body: Transcription = {
      text: transcript.text.trim(),
      language: transcript.language ?? language?.toLowerCase() ?? null,
      durationSeconds,
      segments: segments || words ? [...transcript.segments] : [],
      words: words ? [...transcript.words] : [],
      credits: Math.min(cost, amount) / microPerCredit,
    };
    return { body, cost };
  }

  return { order, transcribe };
}

/** Minimum bytes per second of audio (16 kbit/s). A model that reports a longer duration is wrong. */
export const minBytesPerSecond = 2000;

export const lacksSegments = ({ text, segments }: Pick<ModelTranscript, 'text' | 'segments'>): boolean =>
  text.trim() !== '' && segments.every((segment) => segment.text.trim() === '');

const invalidReply = (model: string) =>
  new ServiceError('MODEL_ERROR', `The model ${model} returned an invalid response.`);

export const toleratedSeconds = (seconds: number): number => 2 + 1.05 * seconds;

/** Transcribing more than the hold covers would reward false headers. */
const longerThanHeld = () =>
  new ServiceError(
    'INVALID_FORMAT',
    'The audio is longer than its header states; send a file with a correct header, such as a WAV.',
  );

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

export interface ModelTranscriptionRequest {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
  readonly temperature?: number | undefined;
  readonly words: boolean;
}

export interface ModelTranscript {
  readonly text: string;
  readonly language?: string | null | undefined;
  readonly duration?: number | null | undefined;
  readonly segments: readonly TranscriptSegment[];
  readonly words: readonly TranscriptWord[];
}

export interface TranscriptionGateway {
  transcribe(model: string, request: ModelTranscriptionRequest): Promise<ModelTranscript>;
}

type Format = 'json' | 'text' | 'srt' | 'vtt' | 'verbose_json';

export function toOpenAiTranscription(transcription: Transcription, format: Format): TextBody | OpenAiTranscription {
  const { text, language, durationSeconds, segments, words } = transcription;
  const usage = { type: 'duration', seconds: Math.ceil(durationSeconds) } as const;
  if (format === 'json') return { text, usage };
  if (format === 'text') return { contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
  if (format === 'srt') return { contentType: 'application/x-subrip; charset=utf-8', body: toSrt(segments) };
  if (format === 'vtt') return { contentType: 'text/vtt; charset=utf-8', body: toVtt(segments) };
  return {
    task: 'transcribe',
    language,
    duration: durationSeconds,
    text,
    segments: segments.map((segment, id) => ({ id, ...segment })),
    ...(words.length > 0 && { words }),
    usage,
  };
}
