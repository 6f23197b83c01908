import { toSrt, toVtt } from '#contract/audio/subtitles.ts';
import type { OpenAiTranscription, Transcription } from '#contract/audio/transcription.ts';
import type { TextBody } from '#contract/http/text-body.ts';

type Format = 'json' | 'text' | 'srt' | 'vtt' | 'verbose_json';

/** A transcription as OpenAI's clients read it, in the format that they request. */
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
