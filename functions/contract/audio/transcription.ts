import * as v from 'valibot';
import { type FormFile, isFormFile } from '../http/request.ts';
import { content, modelFor, refusedUnless, withoutEffect } from '../inference/inference-fields.ts';
import { languageCode as language } from '../inference/languages.ts';
import { firstModelFor } from '../inference/models.ts';
import { decimal, instant, integer, pageSize, text } from '../shared/fields.ts';

/**
 * Maximum bytes of a model's reply for long audio, and of the stored text: the words of a day of speech with their
 * times.
 */
export const maxTranscriptBytes = 32 * 1024 * 1024;

/** Maximum bytes of audio within a request. */
export const maxDirectAudioBytes = 4 * 1024 * 1024;

/** Base64, plus the rest of the body. */
export const maxTranscribeBodyBytes = Math.ceil((maxDirectAudioBytes * 4) / 3) + 64 * 1024;

/** Appended to the detail of a 413. */
export const largerAudio = 'Send larger files by POST /api/ai/uploads.';

const file = v.custom<FormFile>(isFormFile, 'must be a file in the form');
const model = modelFor('transcription');

const base64 = v.pipe(
  v.string('must be a string'),
  v.regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64'),
  v.metadata({ description: 'The file in base64, in a JSON body.' }),
);

const recognition = {
  language: v.optional(language),
  timestamps: v.optional(v.picklist(['none', 'segment', 'word'], 'must be none, segment or word'), 'none'),
};

/** Body of POST /ai/transcribe, in JSON and as a form. */
export const TranscriptionRequest = v.object({ audio: base64, ...recognition }, 'must be a JSON object');
export const TranscriptionForm = v.object({ file, ...recognition }, 'must be a form');

const responseFormat = v.picklist(
  ['json', 'text', 'srt', 'vtt', 'verbose_json'],
  'must be json, text, srt, vtt or verbose_json',
);

/** Form fields are strings. */
const temperature = v.pipe(
  v.string('must be a number'),
  v.regex(/^\d{1,3}(\.\d{1,10})?$/, 'must be a number'),
  v.transform(Number),
  decimal(0, 1),
);

const recognized = {
  file,
  model: v.optional(model, firstModelFor('transcription')),
  prompt: v.optional(content),
  temperature: v.optional(temperature),
  response_format: v.optional(responseFormat, 'json'),
};

const none = (message: string) => v.optional(v.pipe(v.array(v.string(), message), v.maxLength(0, message)));

/** Formats that a stream can replace: its events contain the text only. */
const streamed: ReadonlySet<string> = new Set(['json', 'text']);

/**
 * Body of POST /openai/v1/audio/transcriptions, a form. Refuses options whose response is not supported, and ignores
 * other unknown fields.
 */
export const OpenAiTranscriptionRequest = v.pipe(
  v.object(
    {
      ...recognized,
      language: v.optional(language),
      'timestamp_granularities[]': v.optional(
        v.array(v.picklist(['word', 'segment'], 'must be word or segment'), 'must be a list'),
      ),
      'include[]': refusedUnless('absent', none('is not supported; log probabilities are not returned')),
      'known_speaker_names[]': refusedUnless('absent', none('is not supported; speakers are not distinguished')),
      chunking_strategy: v.optional(withoutEffect(content)),
      stream: v.optional(
        v.pipe(
          v.picklist(['true', 'false'], 'must be true or false'),
          v.transform((value) => value === 'true'),
        ),
        'false',
      ),
    },
    'must be a form',
  ),
  v.forward(
    v.check(
      ({ stream, response_format: format }) => !stream || streamed.has(format),
      'must be false unless response_format is json or text',
    ),
    ['stream'],
  ),
);

/** Body of POST /openai/v1/audio/translations, a form. The translation is always English. */
export const OpenAiTranslationRequest = v.object(
  {
    ...recognized,
    'timestamp_granularities[]': v.optional(
      v.array(v.literal('segment', 'must be segment; translations have no word timestamps'), 'must be a list'),
    ),
    stream: v.optional(v.literal('false', 'must be false; translations are not streamed')),
  },
  'must be a form',
);

/** Maximum characters of a segment: an hour of speech, which some servers return as a single segment. */
export const maxSegmentCharacters = 65_536;

/** Seconds from the beginning. */
const at = v.number();
export const TranscriptSegment = v.object({ start: at, end: at, text: v.string() });
export type TranscriptSegment = v.InferOutput<typeof TranscriptSegment>;
export const TranscriptWord = v.object({ start: at, end: at, word: v.string() });
export type TranscriptWord = v.InferOutput<typeof TranscriptWord>;

/**
 * `segments` and `words` are present if `timestamps` requests them. `credits` are as charged, 0.1 for each started
 * second.
 */
export const Transcription = v.object({
  text: v.string(),
  language: v.nullable(v.string()),
  durationSeconds: v.number(),
  segments: v.array(TranscriptSegment),
  words: v.array(TranscriptWord),
  credits: v.number(),
});
export type Transcription = v.InferOutput<typeof Transcription>;

/** OpenAI's formats: `json` has only the text and the duration. Text formats have a plain text body. */
export const OpenAiTranscription = v.object({
  task: v.optional(v.literal('transcribe')),
  language: v.optional(v.nullable(v.string())),
  duration: v.optional(v.number()),
  text: v.string(),
  segments: v.optional(v.array(v.object({ id: v.number(), ...TranscriptSegment.entries }))),
  words: v.optional(v.array(TranscriptWord)),
  usage: v.object({ type: v.literal('duration'), seconds: v.number() }),
});
export type OpenAiTranscription = v.InferOutput<typeof OpenAiTranscription>;

/** `language` is that of the text. */
export const OpenAiSpeechTranslation = v.object({
  task: v.optional(v.literal('translate')),
  language: v.optional(v.literal('english')),
  duration: v.optional(v.number()),
  text: v.string(),
  segments: OpenAiTranscription.entries.segments,
});
export type OpenAiSpeechTranslation = v.InferOutput<typeof OpenAiSpeechTranslation>;

/** Events of a streamed transcription. The deltas add up to the text. */
export const TranscriptEvent = v.variant('type', [
  v.object({ type: v.literal('transcript.text.delta'), delta: v.string() }),
  v.object({
    type: v.literal('transcript.text.done'),
    text: v.string(),
    usage: OpenAiTranscription.entries.usage,
  }),
]);
export type TranscriptEvent = v.InferOutput<typeof TranscriptEvent>;

/** SubRip format. */
export const toSrt = (segments: readonly TranscriptSegment[]): string =>
  segments
    .map(({ start, end, text }, index) => `${index + 1}\n${time(start, ',')} --> ${time(end, ',')}\n${lines(text)}\n\n`)
    .join('');

/** WebVTT (W3C). Escapes characters that would start a tag. */
export const toVtt = (segments: readonly TranscriptSegment[]): string =>
  `WEBVTT\n\n${segments
    .map(({ start, end, text }) => `${time(start, '.')} --> ${time(end, '.')}\n${escaped(lines(text))}\n\n`)
    .join('')}`;

/**
 * An empty line would end the cue, and an arrow would start a timing. The pattern scans each run of spaces or dashes
 * once.
 */
const lines = (text: string): string =>
  text
    .trim()
    .replaceAll(/(?<!\s)\s*[\n\r]\s*/g, '\n')
    .replaceAll(/(?<!-)-{2,}>/g, '->');

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A day, longer than any file. */
const maxMs = 86_400_000;

function time(seconds: number, mark: ',' | '.'): string {
  const ms = Math.min(maxMs, Math.max(0, Math.round(seconds * 1000)));
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const whole = `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}`;
  return `${whole}${mark}${String(ms % 1000).padStart(3, '0')}`;
}

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
