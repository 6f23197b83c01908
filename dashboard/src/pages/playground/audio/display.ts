/** "0:07", "12:30": a place in audio, or time that has passed. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** Below a minute a length has tenths, which round to less than it. */
const minute = 59.95;

/** "5.0 s", "5:28": how long audio is, rounded everywhere; as exact as one can hear, where it is short. */
export const formatLength = (seconds: number): string =>
  seconds < minute ? `${seconds.toFixed(1)} s` : formatClock(Math.round(seconds));

/** Seconds within which a player is at its end. */
const endTolerance = 0.05;

/** "0:03" and "0:05": a place in audio, which at its end is its length, and that length. */
export function progressClocks(position: number, seconds: number): [place: string, length: string] {
  const length = formatClock(Math.round(seconds));
  return [seconds - position < endTolerance ? length : formatClock(position), length];
}

/** The loudest sample of each of so many equal parts, or of each sample where there are less, from 0 to 1. */
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

/** The highest bar is this high; silence is a line still. */
const maxHeight = 96;
const minHeight = 3;

/** Strokes of bars in a box of 100 high, each a unit wide, around its middle; the loudest fills it, so that a whisper is seen too. */
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
