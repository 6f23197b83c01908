import {
  largerAudio,
  maxDirectAudioBytes,
  type OpenAiSpeechTranslation,
  type OpenAiTranscription,
  toSrt,
  toVtt,
  type Transcription,
  type TranscriptEvent,
  type TranscriptSegment,
  type TranscriptWord,
} from '#contract/audio/transcription.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { TextBody } from '#contract/http/format.ts';
import type { FormFile } from '#contract/http/request.ts';
import { firstModelFor } from '#contract/inference/models.ts';
import type { Order } from '../inference/order.ts';
import { StreamedResponse } from '../inference/streamed-response.ts';
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
  /** Returns the text in English instead of the spoken language. */
  readonly translate?: true;
  readonly stream?: boolean;
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
    const { stream = false } = input;
    const order = { model, amount, input, stream, contentType: container.type, seconds, heldSeconds };
    /** If the credits cover only the known duration, holds all remaining credits. */
    const within = async (budget: number) =>
      budget >= secondPrice('transcription', seconds) ? { ...order, amount: Math.min(amount, budget) } : undefined;
    return { ...order, within };
  }

  /** Charges the larger of our duration and the model's, up to the hold. */
  async function transcribe(order: TranscriptionOrder, signal?: AbortSignal) {
    const { model, amount, input, contentType, seconds, heldSeconds } = order;
    const { file, language, prompt, temperature, words, segments, translate } = input;
    const { bytes } = file;
    const request = { bytes, contentType, language, prompt, temperature, words, translate };
    const transcript = await gateway.transcribe(model, request, signal);
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
    return { body, cost, segments: transcript.segments };
  }

  /** The containers do not stream, so all segments follow together. */
  function stream(order: TranscriptionOrder): StreamedResponse<TranscriptEvent> {
    const cancelled = new AbortController();
    let cost = 0;
    async function* events(): AsyncGenerator<TranscriptEvent> {
      const { body, cost: charged, segments } = await transcribe(order, cancelled.signal);
      cost = charged;
      for (const delta of deltasOf(body.text, segments)) yield { type: 'transcript.text.delta', delta };
      yield { type: 'transcript.text.done', text: body.text, usage: usageOf(body) };
    }
    return new StreamedResponse(
      events(),
      async () => cost,
      () => cancelled.abort(),
    );
  }

  return { order, transcribe, stream };
}

/** Maximum deltas of a text, because a model may return a segment for each character. */
const maxDeltas = 1000;

/** Splits a text after each segment, if the text contains the segments. */
export function* deltasOf(text: string, segments: readonly Pick<TranscriptSegment, 'text'>[]): Generator<string> {
  const minLength = text.length / maxDeltas;
  let [from, to] = [0, 0];
  for (const segment of segments) {
    const words = segment.text.trim();
    if (!text.startsWith(words, skipSpace(text, to))) break;
    to = skipSpace(text, to) + words.length;
    if (to - from <= minLength) continue;
    yield text.slice(from, to);
    from = to;
  }
  if (from < text.length) yield text.slice(from);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text.charAt(at))) at += 1;
  return at;
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
  readonly translate?: true | undefined;
}

export interface ModelTranscript {
  readonly text: string;
  readonly language?: string | null | undefined;
  readonly duration?: number | null | undefined;
  readonly segments: readonly TranscriptSegment[];
  readonly words: readonly TranscriptWord[];
}

export interface TranscriptionGateway {
  /** Throws 400 if the model cannot translate. */
  transcribe(model: string, request: ModelTranscriptionRequest, signal?: AbortSignal): Promise<ModelTranscript>;
}

type Format = 'json' | 'text' | 'srt' | 'vtt' | 'verbose_json';

/** OpenAI returns segment timestamps unless only word timestamps are requested. */
export const returnsSegments = (format: Format, granularities: readonly string[] = []): boolean =>
  format === 'srt' ||
  format === 'vtt' ||
  (format === 'verbose_json' && (granularities.length === 0 || granularities.includes('segment')));

const usageOf = ({ durationSeconds }: Transcription) =>
  ({ type: 'duration', seconds: Math.ceil(durationSeconds) }) as const;

export function toOpenAiTranscription(transcription: Transcription, format: Format): TextBody | OpenAiTranscription {
  const { text, language, words } = transcription;
  const usage = usageOf(transcription);
  if (format === 'json') return { text, usage };
  if (format !== 'verbose_json') return textOf(transcription, format);
  return {
    task: 'transcribe',
    language,
    text,
    ...timesOf(transcription),
    ...(words.length > 0 && { words }),
    usage,
  };
}

export function toOpenAiTranslation(translation: Transcription, format: Format): TextBody | OpenAiSpeechTranslation {
  const { text } = translation;
  if (format === 'json') return { text };
  if (format !== 'verbose_json') return textOf(translation, format);
  return { task: 'translate', language: 'english', text, ...timesOf(translation) };
}

const timesOf = ({ durationSeconds, segments }: Transcription) => ({
  duration: durationSeconds,
  segments: segments.map((segment, id) => ({ id, ...segment })),
});

function textOf({ text, segments }: Transcription, format: 'text' | 'srt' | 'vtt'): TextBody {
  if (format === 'text') return { contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
  if (format === 'srt') return { contentType: 'application/x-subrip; charset=utf-8', body: toSrt(segments) };
  return { contentType: 'text/vtt; charset=utf-8', body: toVtt(segments) };
}
