import { t } from '@lingui/core/macro';
import type * as v from 'valibot';
import {
  maxDirectAudioBytes,
  type TranscriptSegment,
  type TranscriptWord,
  longAudio,
  type NewUpload,
  type TranscriptionJob,
  uploadTypes,
} from '#contract/audio/transcription.ts';
import { prices } from '#contract/billing/prices.ts';
import { ApiError } from '../../../api/response.ts';
import { creditCount, formatCredits, formatWhole, isUnlimited } from '../../../lib/format.ts';

/** `accept` attribute of a file input for audio. */
export const audioTypes = 'audio/*,video/mp4,video/webm,video/ogg,.mp3,.wav,.flac,.ogg,.opus,.aac,.m4a,.mp4,.webm';

type UploadType = NewUpload['contentType'];

/** Media types by file extension, because browsers recognize few of them and differ in their names. */
const typeOfEnding: Readonly<Record<string, UploadType>> = {
  mp3: 'audio/mpeg',
  mpga: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  mov: 'audio/mp4',
  webm: 'audio/webm',
  mka: 'audio/webm',
  mkv: 'audio/webm',
};

/** The media type for the upload, by the file's extension, then by the browser's type. Undefined for other files. */
export function uploadTypeOf({ name, type }: Pick<File, 'name' | 'type'>): UploadType | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const [named] = type.split(';', 1);
  return Object.hasOwn(typeOfEnding, ending) ? typeOfEnding[ending] : uploadTypes.find((known) => known === named);
}

export const maxMegabytes = longAudio.maxBytes / 1e6;

/** Browser types of unknown files and of files that may contain audio. */
const perhapsAudio = /^$|^(?:audio|video)\/|^application\/(?:ogg|octet-stream)$/;

/** Extensions of other files, because not every browser recognizes them. */
const otherEndings = /\.(?:pdf|docx?|xlsx?|pptx?|odt|txt|md|csv|json|html?|zip|png|jpe?g|gif|webp|svg)$/i;

/** The reason to reject a file before it is sent. A file that may be audio is checked by the service. */
export function fileProblem(file: Pick<File, 'name' | 'type' | 'size'>): string | undefined {
  const { name, type, size } = file;
  if (size === 0) return t`The file is empty.`;
  const isKnown = uploadTypeOf(file) !== undefined;
  if (!isKnown && (!perhapsAudio.test(type) || otherEndings.test(name)))
    return t`“${name}” is not audio. Choose a file in one of the formats above.`;
  if (size > longAudio.maxBytes)
    return t`The file is ${{ size: megabytes(size) }} MB; uploads are limited to ${maxMegabytes} MB. Choose a shorter file, or one with a lower bit rate.`;
  if (size > maxDirectAudioBytes && !isKnown)
    return t`Unknown file format: the name must end in one of the formats above.`;
  return undefined;
}

/** Rounded up, so that a file just over the limit is not displayed as the limit. */
const megabytes = (bytes: number): number => Math.ceil(bytes / 1e5) / 10;

/** Credits for transcribing audio, per started second. */
export function transcriptionCredits(seconds: number): number {
  const { credits, unitSize } = prices.transcription;
  return (Math.max(1, Math.ceil(seconds)) * credits) / unitSize;
}

/**
 * The error that the service would return after the upload if the balance is certainly too low. `balance` is in whole
 * credits, rounded down; `seconds` is the length, if the browser knows it.
 */
export function creditRefusal(balance: number, seconds: number | undefined): ApiError | undefined {
  if (isUnlimited(balance)) return undefined;
  const cost = seconds === undefined ? undefined : transcriptionCredits(seconds);
  const isEnough = cost === undefined ? balance > 0 : cost < balance + 1;
  if (isEnough) return undefined;
  const left = formatWhole(balance);
  const sentence =
    cost === undefined
      ? t`This call needs credits; you have ${left} left.`
      : t`This call needs up to ${{ credits: creditCount(cost, formatCredits) }}; you have ${left} left.`;
  return new ApiError('INSUFFICIENT_CREDITS', sentence, { status: 402 });
}

type Status = Pick<v.InferOutput<typeof TranscriptionJob>, 'status'>;

export const isOpen = ({ status }: Status): boolean => status === 'queued' || status === 'running';

/**
 * Poll intervals by number of reads: short jobs are noticed immediately, long ones are polled for the eight hours that
 * they may run.
 */
const polls = [
  { upTo: 30, ms: 1000 },
  { upTo: 90, ms: 3000 },
  { upTo: 3000, ms: 10_000 },
] as const;

/** Milliseconds until the next read of a job, or false if it has ended. */
export function pollMs(job: Status | undefined, reads: number): number | false {
  if (!job || !isOpen(job)) return false;
  return polls.find(({ upTo }) => reads < upTo)?.ms ?? false;
}

export interface TimedSegment extends TranscriptSegment {
  /** Empty if word times were not requested or are unknown. */
  readonly words: readonly TranscriptWord[];
}

/** Models round the times of words and segments independently. Seconds. */
const tolerance = 0.05;

/** Assigns each word to the last segment that has started. */
export function timedSegments(
  segments: readonly TranscriptSegment[],
  words: readonly TranscriptWord[],
): readonly TimedSegment[] {
  const [first, last] = [words[0], words.at(-1)];
  const whole = first && last && { start: first.start, end: last.end, text: words.map(({ word }) => word).join(' ') };
  const known = segments.length > 0 ? segments : whole ? [whole] : [];
  let from = 0;
  return known.map((segment, index) => {
    const next = known[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const later = words.findIndex(({ start }, at) => at >= from && start >= next - tolerance);
    const own = words.slice(from, later === -1 ? words.length : later);
    from += own.length;
    return { ...segment, words: own };
  });
}

/** Index of the last span that contains the time `at`, or -1. */
export function currentIndex(spans: readonly { readonly start: number; readonly end: number }[], at: number): number {
  const index = spans.findLastIndex(({ start }) => start <= at);
  return at < (spans[index]?.end ?? 0) ? index : -1;
}
