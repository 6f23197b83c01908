import * as v from 'valibot';
import { modelFor } from '../inference/inference-fields.ts';
import { firstModelFor } from '../inference/models.ts';
import { decimal, text, whole } from '../shared/fields.ts';

/**
 * Audio formats of speech with their media types. `pcm` has 16-bit little-endian samples at 24,000 Hz, one channel and
 * no header.
 */
export const speechFormats = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg; codecs=opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const;
export type SpeechFormat = keyof typeof speechFormats;

export const formatNames = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const satisfies readonly SpeechFormat[];

/** Voices that every speech model supports. */
export const voices = [
  { id: 'alloy', language: 'en', description: 'Neutral and even' },
  { id: 'echo', language: 'en', description: 'Male, warm' },
  { id: 'fable', language: 'en', description: 'Male, bright' },
  { id: 'onyx', language: 'en', description: 'Male, deep' },
  { id: 'nova', language: 'en', description: 'Female, lively' },
  { id: 'shimmer', language: 'en', description: 'Female, bright' },
] as const;

export const voiceIds = voices.map(({ id }) => id);
export type Voice = (typeof voiceIds)[number];

/** Maximum code points of the text of one call. */
export const maxSpeechCharacters = 4096;

/** Maximum bytes of audio in an envelope. */
export const maxEnvelopedAudioBytes = 4_000_000;

const spoken = text(maxSpeechCharacters);
const model = modelFor('speech');
const voice = v.picklist(voiceIds, `must be one of ${voiceIds.join(', ')}`);
const format = v.picklist(formatNames, `must be one of ${formatNames.join(', ')}`);
const speed = decimal(0.25, 4);

/** Body of POST /ai/speech. */
export const SpeechRequest = v.object(
  {
    text: spoken,
    voice: v.optional(voice, 'alloy'),
    format: v.optional(format, 'mp3'),
    speed: v.optional(speed, 1),
    model: v.optional(model, firstModelFor('speech')),
  },
  'must be a JSON object',
);
export type SpeechRequest = v.InferOutput<typeof SpeechRequest>;

/**
 * Body of POST /openai/v1/audio/speech. Refuses options whose response is not supported, and ignores other unknown
 * fields.
 */
export const OpenAiSpeechRequest = v.object(
  {
    model: v.nullish(model, firstModelFor('speech')),
    input: spoken,
    voice: v.nullish(voice, 'alloy'),
    response_format: v.nullish(format, 'mp3'),
    speed: v.nullish(speed, 1),
    stream_format: v.nullish(v.literal('audio', 'must be audio; speech is streamed as audio bytes')),
  },
  'must be a JSON object',
);

/** `audio` is base64. `characters` are the code points of the text, which determine `credits`. */
export const Speech = v.object({
  audio: v.pipe(v.string(), v.metadata({ description: 'The audio in base64.' })),
  contentType: v.string(),
  durationSeconds: v.number(),
  characters: whole,
  credits: whole,
});
export type Speech = v.InferOutput<typeof Speech>;

export const VoiceList = v.object({
  items: v.array(v.object({ id: v.string(), language: v.string(), description: v.string() })),
  nextCursor: v.null(),
});
