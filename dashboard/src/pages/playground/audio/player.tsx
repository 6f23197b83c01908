import { t } from '@lingui/core/macro';
import { ActionIcon, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../../../components/icon.tsx';
import css from './audio.module.css';
import { bucketPeaks, formatClock, progressClocks, waveformPath } from './display.ts';

interface AudioPlayerProps {
  readonly label: string;
  readonly playback: Playback;
  /** `undefined` while it is decoded, `null` if the browser cannot decode it. */
  readonly audio: DecodedAudio | null | undefined;
  /** Displayed below the waveform, next to the time. */
  readonly children?: ReactNode;
}

export function AudioPlayer({ label, playback, audio, children }: AudioPlayerProps) {
  const { isPlaying, position, isUnplayable, toggle, seek } = playback;
  return (
    <section className={css.player} aria-label={label}>
      <ActionIcon
        size={44}
        radius="xl"
        aria-label={isPlaying ? t`Pause` : t`Play`}
        disabled={isUnplayable}
        onClick={toggle}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} size={20} />
      </ActionIcon>
      {audio ? (
        <Waveform peaks={audio.peaks} seconds={audio.seconds} position={position} onSeek={seek} />
      ) : (
        <div className={css.waveform}>
          {audio === null && (
            <Text size="sm" c="dimmed">
              {isUnplayable
                ? t`This browser cannot play this format.`
                : t`This browser cannot show the waveform of this format.`}
            </Text>
          )}
        </div>
      )}
      <div className={css.facts}>
        <Text size="sm" c="dimmed" className="number" dir="ltr">
          {audio ? progressClocks(position, audio.seconds).join(' / ') : formatClock(position)}
        </Text>
        {children}
      </div>
    </section>
  );
}

/** Width of a bar and its gap, in pixels. */
const barWidth = 4;

interface WaveformProps {
  readonly peaks: readonly number[];
  readonly seconds: number;
  readonly position: number;
  readonly onSeek: (seconds: number) => void;
}

/** A waveform that shows playback progress and works as a slider. */
function Waveform({ peaks, seconds, position, onSeek }: WaveformProps) {
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

  const [place, length] = progressClocks(position, seconds);

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
      // Time runs from left to right in every language.
      dir="ltr"
      role="slider"
      tabIndex={0}
      aria-label={t`Position`}
      aria-valuemin={0}
      aria-valuemax={Number(seconds.toFixed(1))}
      aria-valuenow={Number(Math.min(position, seconds).toFixed(1))}
      aria-valuetext={t`${place} of ${length}`}
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

export interface Playback {
  readonly isPlaying: boolean;
  /** Seconds from the beginning. */
  readonly position: number;
  readonly isUnplayable: boolean;
  readonly toggle: () => void;
  readonly seek: (seconds: number) => void;
  readonly playFrom: (seconds: number) => void;
  readonly play: () => void;
}

/** The playing element. Starting another one pauses it, because it may be in a hidden tab. */
let playing: HTMLAudioElement | undefined;

/**
 * Seconds beyond the end of any file. Seeking there makes the browser find the length that the header of a recording
 * lacks.
 */
const beyondTheEnd = 1e7;

/** Plays a file while its tab is visible. Playback stops and the object URL is revoked on unmount. */
export function usePlayback(file: Blob, isShown: boolean): Playback {
  const [audio] = useState(() => new Audio());
  const [isPlaying, setPlaying] = useState(false);
  const [position, setPosition] = useState(0);
  const [isUnplayable, setUnplayable] = useState(false);
  /** Requested position, which may precede the discovery of the length. */
  const sought = useRef(0);

  useEffect(() => {
    const address = URL.createObjectURL(file);
    const listening = new AbortController();
    const { signal } = listening;
    const on = (event: string, act: () => void): void => audio.addEventListener(event, act, { signal });
    const showPosition = (): void => setPosition(audio.currentTime >= beyondTheEnd ? 0 : audio.currentTime);
    on('play', () => {
      if (playing !== audio) playing?.pause();
      playing = audio;
      setPlaying(true);
    });
    on('pause', () => setPlaying(false));
    on('error', () => setUnplayable(true));
    on('seeked', showPosition);
    on('timeupdate', showPosition);
    on('loadedmetadata', () => {
      if (audio.duration !== Number.POSITIVE_INFINITY) return;
      audio.addEventListener('durationchange', () => (audio.currentTime = sought.current), { once: true, signal });
      audio.currentTime = beyondTheEnd;
    });
    setUnplayable(false);
    setPosition(0);
    sought.current = 0;
    audio.src = address;
    return () => {
      listening.abort();
      audio.pause();
      audio.removeAttribute('src');
      audio.load();
      setPlaying(false);
      URL.revokeObjectURL(address);
    };
  }, [audio, file]);

  useEffect(() => {
    if (!isShown) audio.pause();
  }, [audio, isShown]);

  // `timeupdate` fires about four times a second, too rarely to follow words.
  useEffect(() => {
    if (!isPlaying) return undefined;
    let frame = 0;
    const follow = (): void => {
      setPosition(audio.currentTime);
      frame = requestAnimationFrame(follow);
    };
    follow();
    return () => cancelAnimationFrame(frame);
  }, [audio, isPlaying]);

  // Rejected after an immediate pause, by autoplay policies and for an unplayable file, which the `error` event
  // reports.
  const play = (): void => void audio.play().catch(() => undefined);
  const seek = (seconds: number): void => {
    sought.current = seconds;
    audio.currentTime = seconds;
  };

  return {
    isPlaying,
    position,
    isUnplayable,
    toggle: () => (audio.paused ? play() : audio.pause()),
    seek,
    playFrom: (seconds) => {
      seek(seconds);
      play();
    },
    play,
  };
}

/** Length and waveform of a file: `undefined` while it is decoded, `null` if the browser cannot decode it. */
export function useDecoded(file: Blob | undefined): DecodedAudio | null | undefined {
  const [known, setKnown] = useState<{ readonly file: Blob; readonly audio: DecodedAudio | null }>();
  useEffect(() => {
    let isCurrent = true;
    async function decode(chosen: Blob): Promise<void> {
      const audio = await decodeAudio(chosen);
      if (isCurrent) setKnown({ file: chosen, audio });
    }
    if (file) void decode(file);
    return () => {
      isCurrent = false;
    };
  }, [file]);
  return known?.file === file ? known?.audio : undefined;
}

/** Sample rates to try, in Hz. Low rates save memory, and the waveform needs no more. */
const rates = [8000, 44_100] as const;

/** Larger files are not decoded: one minute of decoded audio needs about 4 MB. */
const maxDecodedBytes = 32 * 1024 * 1024;

/** More bars than a screen has room for. */
const maxPeaks = 2000;

export interface DecodedAudio {
  readonly seconds: number;
  /** Peak of each part, from 0 to 1. All zero for a file that is too large to decode. */
  readonly peaks: readonly number[];
}

async function decodeAudio(file: Blob): Promise<DecodedAudio | null> {
  if (file.size > maxDecodedBytes) return measured(file);
  const buffer = await decoded(file);
  if (!buffer) return null;
  return { seconds: buffer.duration, peaks: bucketPeaks(buffer.getChannelData(0), maxPeaks) };
}

/** Reads the length from the file's header. */
function measured(file: Blob): Promise<DecodedAudio | null> {
  const { promise, resolve } = Promise.withResolvers<DecodedAudio | null>();
  const audio = new Audio();
  const address = URL.createObjectURL(file);
  const end = (): void => {
    const { duration } = audio;
    resolve(Number.isFinite(duration) ? { seconds: duration, peaks: Array<number>(maxPeaks).fill(0) } : null);
    audio.removeAttribute('src');
    URL.revokeObjectURL(address);
  };
  audio.addEventListener('loadedmetadata', end, { once: true });
  audio.addEventListener('error', end, { once: true });
  audio.preload = 'metadata';
  audio.src = address;
  return promise;
}

async function decoded(file: Blob): Promise<AudioBuffer | undefined> {
  for (const rate of rates) {
    try {
      // decodeAudioData detaches its buffer, so each attempt needs a copy.
      return await new OfflineAudioContext(1, 1, rate).decodeAudioData(await file.arrayBuffer());
    } catch {
      // Not every browser supports the low rate.
    }
  }
  return undefined;
}
