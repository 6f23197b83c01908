import { Text } from '@mantine/core';
import { creditCount, formatBytes, formatCredits } from '../../../../lib/format.ts';
import { formatLength } from '../clock.ts';
import { AudioPlayer } from '../player/audio-player.tsx';
import type { DecodedAudio } from '../player/decoded-audio.ts';
import type { Playback } from '../player/use-playback.ts';
import { transcriptionCredits } from '../price.ts';

interface ChosenAudioProps {
  readonly file: File;
  readonly audio: DecodedAudio | null | undefined;
  readonly playback: Playback;
}

/** What is going to be transcribed, to hear it before, and what that will cost. */
export function ChosenAudio({ file, audio, playback }: ChosenAudioProps) {
  return (
    <AudioPlayer label="Audio" playback={playback} audio={audio}>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {file.name}, {formatBytes(file.size)}
        {audio &&
          `, ${formatLength(audio.seconds)}: about ${creditCount(transcriptionCredits(audio.seconds), formatCredits)}`}
      </Text>
    </AudioPlayer>
  );
}
