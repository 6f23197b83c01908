import type { TranscriptSegment, TranscriptWord } from '#contract/audio/transcription.ts';

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
