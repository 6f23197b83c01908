import type { TranscriptSegment } from './transcription.ts';

/** SubRip. */
export const toSrt = (segments: readonly TranscriptSegment[]): string =>
  segments
    .map(({ start, end, text }, index) => `${index + 1}\n${time(start, ',')} --> ${time(end, ',')}\n${lines(text)}\n\n`)
    .join('');

/** WebVTT (W3C), whose text escapes what would be a tag. */
export const toVtt = (segments: readonly TranscriptSegment[]): string =>
  `WEBVTT\n\n${segments
    .map(({ start, end, text }) => `${time(start, '.')} --> ${time(end, '.')}\n${escaped(lines(text))}\n\n`)
    .join('')}`;

/** An empty line would end the cue, and an arrow would read as a timing. Each run of spaces or dashes is scanned once. */
const lines = (text: string): string =>
  text
    .trim()
    .replaceAll(/(?<!\s)\s*[\n\r]\s*/g, '\n')
    .replaceAll(/(?<!-)-{2,}>/g, '->');

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A day, which is more than any file has. */
const maxMs = 86_400_000;

function time(seconds: number, mark: ',' | '.'): string {
  const ms = Math.min(maxMs, Math.max(0, Math.round(seconds * 1000)));
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const whole = `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}`;
  return `${whole}${mark}${String(ms % 1000).padStart(3, '0')}`;
}
