/** Formats a position or an elapsed time, for example "0:07" or "12:30". */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** Lengths below this many seconds are displayed with tenths, which round to less than a minute. */
const minute = 59.95;

/** Formats the length of audio, rounded, for example "5.0 s" or "5:28". */
export const formatLength = (seconds: number): string =>
  seconds < minute ? `${seconds.toFixed(1)} s` : formatClock(Math.round(seconds));

/** Seconds from the end within which a player displays its full length. */
const endTolerance = 0.05;

/** Formats the position and the length of a player. At the end both are the same. */
export function progressClocks(position: number, seconds: number): [place: string, length: string] {
  const length = formatClock(Math.round(seconds));
  return [seconds - position < endTolerance ? length : formatClock(position), length];
}

/** The loudest sample, from 0 to 1, of each of `parts` equal parts, or of each sample if there are fewer. */
export function bucketPeaks(samples: ArrayLike<number>, parts: number): number[] {
  const count = Math.min(parts, samples.length);
  return Array.from({ length: count }, (_, part) => {
    const end = Math.floor(((part + 1) * samples.length) / count);
    let peak = 0;
    for (let at = Math.floor((part * samples.length) / count); at < end; at += 1)
      peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    return Math.min(1, peak);
  });
}

/** Bar heights in percent. Silence remains visible as a line. */
const maxHeight = 96;
const minHeight = 3;

/**
 * SVG path of a waveform in a box 100 units high, one unit per bar. Scaled to the loudest bar, so that quiet speech is
 * visible.
 */
export function waveformPath(peaks: readonly number[], bars: number): string {
  const shown = bucketPeaks(peaks, bars);
  const loudest = Math.max(0.02, ...shown);
  return shown
    .map((peak, at) => {
      const height = Math.max(minHeight, (peak / loudest) * maxHeight);
      return `M${at + 0.5} ${(50 - height / 2).toFixed(1)}v${height.toFixed(1)}`;
    })
    .join('');
}
