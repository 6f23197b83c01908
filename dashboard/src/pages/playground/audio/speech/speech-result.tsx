import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { Icon } from '../../../../components/elements/icon.tsx';
import { useStableCallback } from '../../../../lib/hooks/use-stable-callback.ts';
import { saveFile } from '../../../../lib/save-file.ts';
import { AudioPlayer } from '../player/audio-player.tsx';
import type { DecodedAudio } from '../player/decoded-audio.ts';
import { usePlayback } from '../player/use-playback.ts';

export interface SpokenText {
  /** As it is saved, and as it is played. */
  readonly file: Blob;
  readonly played: Blob;
  readonly name: string;
  readonly credits: number;
}

interface SpeechResultProps extends SpokenText {
  readonly audio: DecodedAudio | null | undefined;
  readonly isShown: boolean;
}

/** Speech to hear, to see and to save. It plays when it comes, if somebody is there to see what plays. */
export function SpeechResult({ file, played, name, audio, isShown }: SpeechResultProps) {
  const playback = usePlayback(played, isShown);
  const begin = useStableCallback(() => {
    if (isShown && !document.hidden) playback.play();
  });
  useEffect(() => begin(), [begin, played]);
  return (
    <AudioPlayer label="Generated speech" playback={playback} audio={audio}>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="download" size={16} />}
        onClick={() => saveFile(file, name)}
      >
        Download {name}
      </Button>
    </AudioPlayer>
  );
}
