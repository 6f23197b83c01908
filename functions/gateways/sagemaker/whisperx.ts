import * as v from 'valibot';
import { maxSegmentCharacters, TranscriptSegment, TranscriptWord } from '#contract/audio/transcription.ts';
import type { ModelTranscriptionRequest } from '#domain/audio/transcription.ts';
import { cleanText } from '#domain/shared/text.ts';
import type { Container } from './container.ts';

const list = <Item extends v.GenericSchema>(item: Item) => v.optional(v.nullable(v.array(item)));

/** Longer than any file. JSON can contain numbers that parse as Infinity. */
const maxSeconds = 24 * 60 * 60;
const seconds = v.pipe(v.number(), v.minValue(0), v.maxValue(maxSeconds));

const text = v.pipe(v.string(), v.transform(cleanText));
const spoken = v.pipe(v.string(), v.maxLength(maxSegmentCharacters), v.transform(cleanText));

const Reply = v.object({
  task: v.fallback(v.optional(v.string()), undefined),
  text,
  language: v.optional(v.nullable(v.pipe(text, v.maxLength(100)))),
  duration: v.optional(v.nullable(seconds)),
  segments: list(v.object({ ...TranscriptSegment.entries, text: spoken })),
  words: list(v.object({ ...TranscriptWord.entries, word: spoken })),
});

/** Corrects a time that is negative, too large, or before its own start, because the text is still usable. */
function inOrder<Timed extends { readonly start: number; readonly end: number }>(timed: Timed): Timed {
  const start = Math.min(maxSeconds, Math.max(0, timed.start));
  return { ...timed, start, end: Math.min(maxSeconds, Math.max(start, timed.end)) };
}

/**
 * WhisperX: OpenAI's form on /invocations. Always requests `verbose_json`, the only format with the duration. WhisperX
 * queues two requests and rejects the next with 503.
 */
export const whisperx: Container = {
  transcription: {
    body(request, servedName) {
      const { head, tail, contentType } = whisperxForm(request, servedName);
      return { bytes: Buffer.concat([head, request.bytes, tail]), contentType };
    },
    reply(value) {
      const { segments, words, ...rest } = v.parse(Reply, value);
      return { ...rest, segments: (segments ?? []).map(inOrder), words: (words ?? []).map(inOrder) };
    },
  },
};

/** The bytes before and after a file in the form of its transcription. */
export function whisperxForm(
  { contentType, language, prompt, temperature, words, translate }: Omit<ModelTranscriptionRequest, 'bytes'>,
  servedName?: string,
) {
  const boundary = `form-${crypto.randomUUID()}`;
  const fields = [
    ['model', servedName],
    ['response_format', 'verbose_json'],
    ['task', translate && 'translate'],
    ['language', language?.toLowerCase()],
    ['prompt', prompt],
    ['temperature', temperature],
    ['timestamp_granularities[]', 'segment'],
    ['timestamp_granularities[]', words ? 'word' : undefined],
  ] as const;
  const texts = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`],
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="audio.${contentType.slice(6)}"\r\nContent-Type: ${contentType}\r\n\r\n`;
  return {
    head: Buffer.from(texts.join('') + head),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}
