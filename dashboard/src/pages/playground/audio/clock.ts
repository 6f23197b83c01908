/** "0:07", "12:30": a place in audio. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** "0:07.3": as exact as one can hear, where audio is short. */
export const formatLength = (seconds: number): string =>
  seconds < 60 ? `${seconds.toFixed(1)} s` : formatClock(Math.round(seconds));
