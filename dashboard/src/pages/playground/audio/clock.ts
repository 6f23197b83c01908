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
