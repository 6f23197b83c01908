import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useMemo } from 'react';
import { progressClocks } from '../clock.ts';
import { waveformPath } from './peaks.ts';
import css from './player.module.css';

/** Pixels of a bar with the room beside it. */
const barWidth = 4;

interface WaveformProps {
  readonly peaks: readonly number[];
  readonly seconds: number;
  readonly position: number;
  readonly onSeek: (seconds: number) => void;
}

/** The waveform with what was played of it, which is a slider too. */
export function Waveform({ peaks, seconds, position, onSeek }: WaveformProps) {
  const { ref, width } = useElementSize();
  const bars = Math.max(1, Math.floor(width / barWidth));
  const path = useMemo(() => waveformPath(peaks.length > 0 ? peaks : [0], bars), [peaks, bars]);
  const played = Math.min(1, position / seconds);
  const step = Math.min(5, seconds / 20);

  const seekTo = (to: number): void => onSeek(Math.min(seconds, Math.max(0, to)));
  const moves: Readonly<Record<string, number>> = {
    ArrowRight: position + step,
    ArrowUp: position + step,
    ArrowLeft: position - step,
    ArrowDown: position - step,
    PageUp: position + seconds / 10,
    PageDown: position - seconds / 10,
    Home: 0,
    End: seconds,
  };

  function onKeyDown(event: KeyboardEvent): void {
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    seekTo(to);
  }

  function onPointer(event: PointerEvent): void {
    if (event.buttons !== 1) return;
    const { left, width: whole } = event.currentTarget.getBoundingClientRect();
    seekTo(((event.clientX - left) / whole) * seconds);
  }

  return (
    <div
      ref={ref}
      className={css.waveform}
      role="slider"
      tabIndex={0}
      aria-label="Position"
      aria-valuemin={0}
      aria-valuemax={Number(seconds.toFixed(1))}
      aria-valuenow={Number(Math.min(position, seconds).toFixed(1))}
      aria-valuetext={progressClocks(position, seconds).join(' of ')}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        onPointer(event);
      }}
      onPointerMove={onPointer}
    >
      <Bars path={path} bars={Math.min(bars, Math.max(1, peaks.length))} />
      <div className={css.played} style={{ clipPath: `inset(0 ${100 - 100 * played}% 0 0)` }}>
        <Bars path={path} bars={Math.min(bars, Math.max(1, peaks.length))} />
      </div>
    </div>
  );
}

const Bars = ({ path, bars }: { readonly path: string; readonly bars: number }) => (
  <svg viewBox={`0 0 ${bars} 100`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
    <path d={path} />
  </svg>
);
