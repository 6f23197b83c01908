import type * as v from 'valibot';
import { type TranscriptSegment, type TranscriptWord, maxDirectAudioBytes } from '#contract/audio/transcription.ts';
import { type NewUpload, type TranscriptionJob, longAudio, uploadTypes } from '#contract/audio/transcriptions.ts';
import { prices } from '#contract/billing/prices.ts';
import { ApiError } from '../../../api/http/api-error.ts';
import { creditCount, formatCredits, formatWhole, isUnlimited } from '../../../lib/format.ts';

/** What a file dialog for audio offers. */
export const audioTypes = 'audio/*,video/mp4,video/webm,video/ogg,.mp3,.wav,.flac,.ogg,.opus,.aac,.m4a,.mp4,.webm';

type UploadType = NewUpload['contentType'];

/** Browsers name few of these, and each its own. */
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

/** The media type that a file is uploaded as, by its name, else by its browser; undefined for what is no audio by either. */
export function uploadTypeOf({ name, type }: Pick<File, 'name' | 'type'>): UploadType | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const [named] = type.split(';', 1);
  return Object.hasOwn(typeOfEnding, ending) ? typeOfEnding[ending] : uploadTypes.find((known) => known === named);
}

export const maxMegabytes = longAudio.maxBytes / 1e6;

/** Types that browsers give what they do not know, or what may have a sound track. */
const perhapsAudio = /^$|^(?:audio|video)\/|^application\/(?:ogg|octet-stream)$/;

/** Endings of what is no audio, as not every browser names their types. */
const otherEndings = /\.(?:pdf|docx?|xlsx?|pptx?|odt|txt|md|csv|json|html?|zip|png|jpe?g|gif|webp|svg)$/i;

/** Why the service would not take a file; one that may be audio is looked at there. */
export function fileProblem(file: Pick<File, 'name' | 'type' | 'size'>): string | undefined {
  const { name, type, size } = file;
  if (size === 0) return 'The file is empty.';
  const isKnown = uploadTypeOf(file) !== undefined;
  if (!isKnown && (!perhapsAudio.test(type) || otherEndings.test(name)))
    return `“${name}” is not audio. Choose a file in one of the formats above.`;
  if (size > longAudio.maxBytes)
    return `The file is ${megabytes(size)} MB; uploads are limited to ${maxMegabytes} MB. Choose a shorter file, or one with a lower bit rate.`;
  if (size > maxDirectAudioBytes && !isKnown)
    return 'Unknown file format: the name must end in one of the formats above.';
  return undefined;
}

/** Rounded up, as one that is a byte too large is no less so. */
const megabytes = (bytes: number): number => Math.ceil(bytes / 1e5) / 10;

/** What a text costs to speak: per started unit. */
export function speechCredits(characters: number): number {
  const { credits, unitSize } = prices.audio;
  return Math.ceil(characters / unitSize) * credits;
}

/** What audio costs to transcribe: per started second. */
export function transcriptionCredits(seconds: number): number {
  const { credits, unitSize } = prices.transcription;
  return (Math.max(1, Math.ceil(seconds)) * credits) / unitSize;
}

/**
 * What the service would refuse a file with once it has come, where the balance, in whole credits and rounded down, surely
 * does not pay it; undefined where it may. `seconds` are those that the browser finds, if it does.
 */
export function creditRefusal(balance: number, seconds: number | undefined): ApiError | undefined {
  if (isUnlimited(balance)) return undefined;
  const cost = seconds === undefined ? undefined : transcriptionCredits(seconds);
  const isEnough = cost === undefined ? balance > 0 : cost < balance + 1;
  if (isEnough) return undefined;
  const needs = cost === undefined ? 'credits' : `up to ${creditCount(cost, formatCredits)}`;
  const sentence = `This call needs ${needs}; you have ${formatWhole(balance)} left. Upgrade the plan or wait for the next month.`;
  return new ApiError('INSUFFICIENT_CREDITS', sentence, { status: 402 });
}

type Status = Pick<v.InferOutput<typeof TranscriptionJob>, 'status'>;

export const isOpen = ({ status }: Status): boolean => status === 'queued' || status === 'running';

/** How often a job is read until it ends: a short one shows its text immediately, a long one is read for the eight hours that it may have. */
const polls = [
  { upTo: 30, ms: 1000 },
  { upTo: 90, ms: 3000 },
  { upTo: 3000, ms: 10_000 },
] as const;

/** After how many ms a job is read again that has been read so many times; false once it has ended. */
export function pollMs(job: Status | undefined, reads: number): number | false {
  if (!job || !isOpen(job)) return false;
  return polls.find(({ upTo }) => reads < upTo)?.ms ?? false;
}

export interface TimedSegment extends TranscriptSegment {
  /** Empty where the times of words were not requested, or none is known. */
  readonly words: readonly TranscriptWord[];
}

/** Models round the times of words and segments each for themselves. */
const tolerance = 0.05;

/** Each segment with its words: a word is of the last segment that has begun by then. */
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

/** The last one that has begun and has not ended, by its index; -1 for none. */
export function currentIndex(spans: readonly { readonly start: number; readonly end: number }[], at: number): number {
  const index = spans.findLastIndex(({ start }) => start <= at);
  return at < (spans[index]?.end ?? 0) ? index : -1;
}
