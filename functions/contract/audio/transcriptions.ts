import * as v from 'valibot';
import { languageCode as language } from '../inference/languages.ts';
import { instant, integer, pageSize, text } from '../shared/fields.ts';
import { TranscriptSegment, TranscriptWord } from './transcription.ts';

/** Long audio: uploads to storage, and the jobs that transcribe them (docs/audio.md#long-audio). */
export const longAudio = {
  maxBytes: 500_000_000,
  maxSeconds: 86_400,
  /** Maximum open items per account: uploads without a job yet, and unfinished jobs. */
  openUploads: 10,
  openJobs: 10,
  /** Time from the creation of an upload during which its file can be transcribed. */
  uploadSeconds: 3600,
  textDays: 30,
} as const;

/** Accepted media types, with all their aliases. */
export const uploadTypes = [
  'application/ogg',
  'audio/aac',
  'audio/aacp',
  'audio/flac',
  'audio/m4a',
  'audio/mp3',
  'audio/mp4',
  'audio/mpeg',
  'audio/mpga',
  'audio/ogg',
  'audio/opus',
  'audio/vnd.wave',
  'audio/vorbis',
  'audio/wav',
  'audio/wave',
  'audio/webm',
  'audio/x-aac',
  'audio/x-flac',
  'audio/x-m4a',
  'audio/x-matroska',
  'audio/x-mp3',
  'audio/x-wav',
  'video/mp4',
  'video/ogg',
  'video/quicktime',
  'video/webm',
  'video/x-matroska',
] as const;

/** Body of POST /ai/uploads. */
export const NewUpload = v.object(
  {
    contentType: v.pipe(
      v.picklist(uploadTypes, `must be a supported audio type: ${uploadTypes.join(', ')}`),
      v.description('Media type of the file; it must be sent with exactly this type.'),
    ),
    bytes: v.pipe(
      integer(1, longAudio.maxBytes),
      v.description('Size of the file in bytes; it must have exactly this size.'),
    ),
  },
  'must be a JSON object',
);
export type NewUpload = v.InferOutput<typeof NewUpload>;

/** Upload form: POST `fields` to `url`, followed by the file as the last part, named `file`. */
export const Upload = v.object({
  id: v.string(),
  url: v.string(),
  fields: v.record(v.string(), v.string()),
  expiresAt: instant,
});

export const timestampKinds = ['none', 'segment', 'word'] as const;

/** Body of POST /ai/transcriptions. */
export const NewTranscription = v.object(
  {
    uploadId: v.pipe(text(64), v.regex(/^upl_[0-9A-Za-z]+$/, 'must be the id of an upload')),
    language: v.optional(language),
    timestamps: v.optional(v.picklist(timestampKinds, 'must be none, segment or word'), 'none'),
  },
  'must be a JSON object',
);
export type NewTranscription = v.InferOutput<typeof NewTranscription>;

export const transcriptionStatuses = ['queued', 'running', 'completed', 'failed', 'expired'] as const;

/** `credits` is the current charge: the maximum cost while the job runs, then the actual cost. */
const job = {
  id: v.string(),
  uploadId: v.string(),
  status: v.picklist(transcriptionStatuses),
  language: v.nullable(v.string()),
  timestamps: v.picklist(timestampKinds),
  durationSeconds: v.nullable(v.number()),
  credits: v.number(),
  createdAt: instant,
  updatedAt: instant,
  expiresAt: instant,
};
export const TranscriptionJob = v.object(job);

/** Includes the transcript once the job is completed. */
export const TranscriptionResult = v.object({
  ...job,
  text: v.nullable(v.string()),
  segments: v.array(TranscriptSegment),
  words: v.array(TranscriptWord),
});

export const TranscriptionPath = v.object({ id: text(64) });

/** `cursor` is the `nextCursor` of the previous page. */
export const TranscriptionQuery = v.object({
  cursor: v.optional(v.pipe(text(64), v.regex(/^trn_[0-9A-Za-z]+$/, 'must be the nextCursor of the previous page'))),
  limit: v.optional(pageSize, '50'),
});

export const TranscriptionList = v.object({
  items: v.array(TranscriptionJob),
  nextCursor: v.nullable(v.string()),
});
