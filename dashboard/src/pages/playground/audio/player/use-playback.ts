import { useEffect, useRef, useState } from 'react';

export interface Playback {
  readonly isPlaying: boolean;
  /** Seconds from the beginning. */
  readonly position: number;
  /** True where the browser cannot play this file. */
  readonly isUnplayable: boolean;
  readonly toggle: () => void;
  readonly seek: (seconds: number) => void;
  readonly playFrom: (seconds: number) => void;
  readonly play: () => void;
}

/** The one that plays: no two do, as one of them may be out of sight. */
let playing: HTMLAudioElement | undefined;

/** Beyond every end: a seek to it lets a browser find the length that a recording's header does not have. */
const beyondTheEnd = 1e7;

/** Plays a file while its tab is shown. Its address is revoked with it, and nothing plays on once it is gone. */
export function usePlayback(file: Blob, isShown: boolean): Playback {
  const [audio] = useState(() => new Audio());
  const [isPlaying, setPlaying] = useState(false);
  const [position, setPosition] = useState(0);
  const [isUnplayable, setUnplayable] = useState(false);
  /** Where one has sought to, which may be before the length is found. */
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

  // `timeupdate` comes four times a second: too seldom for words.
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

  // Refused where another press stopped it meanwhile, by a browser that lets nothing begin by itself, and where the file
  // is none: then there is the event.
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
