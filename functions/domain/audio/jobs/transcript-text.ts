import * as v from 'valibot';
import { TranscriptSegment, TranscriptWord } from '#contract/audio/transcription.ts';
import type { ModelTranscript } from '../transcription-gateway.ts';
import type { Job } from './job.ts';

const StoredText = v.object({
  text: v.string(),
  segments: v.array(TranscriptSegment),
  words: v.array(TranscriptWord),
});

/** What a job's text file has. */
export function textFileOf({ timestamps }: Pick<Job, 'timestamps'>, transcript: ModelTranscript): string {
  const segments = timestamps === 'none' ? [] : transcript.segments;
  const words = timestamps === 'word' ? transcript.words : [];
  return JSON.stringify({ text: transcript.text.trim(), segments, words });
}

export const textOf = (file: Buffer) => v.parse(StoredText, JSON.parse(file.toString()));
