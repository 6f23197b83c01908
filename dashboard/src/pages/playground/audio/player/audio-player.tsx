import { ActionIcon, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../../../components/elements/icon.tsx';
import { formatClock, progressClocks } from '../clock.ts';
import type { DecodedAudio } from './decoded-audio.ts';
import css from './player.module.css';
import type { Playback } from './use-playback.ts';
import { Waveform } from './waveform.tsx';

interface AudioPlayerProps {
  /** What is played. */
  readonly label: string;
  readonly playback: Playback;
  /** `undefined` until it is decoded, `null` where the browser cannot. */
  readonly audio: DecodedAudio | null | undefined;
  /** Below the waveform, beside the time. */
  readonly children?: ReactNode;
}

/** Plays audio, with its waveform to see and to seek in. */
export function AudioPlayer({ label, playback, audio, children }: AudioPlayerProps) {
  const { isPlaying, position, isUnplayable, toggle, seek } = playback;
  return (
    <section className={css.player} aria-label={label}>
      <ActionIcon
        size={44}
        radius="xl"
        aria-label={isPlaying ? 'Pause' : 'Play'}
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
              This browser cannot {isUnplayable ? 'play this format' : 'show the waveform of this format'}.
            </Text>
          )}
        </div>
      )}
      <div className={css.facts}>
        <Text size="sm" c="dimmed" className="number">
          {audio ? progressClocks(position, audio.seconds).join(' / ') : formatClock(position)}
        </Text>
        {children}
      </div>
    </section>
  );
}
