import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Transcription } from '#contract/audio/transcription.ts';
import { useStableCallback } from '../../../../lib/use-stable-callback.ts';
import { useDecoded } from '../player/use-decoded.ts';
import { usePlayback } from '../player/use-playback.ts';
import { ChosenAudio } from './chosen-audio.tsx';
import { TranscriptDownloads } from './transcript-downloads.tsx';
import { TranscriptView } from './transcript-view.tsx';

interface TranscribedAudioProps {
  readonly file: File;
  readonly transcription: Transcription | undefined;
  /** Between audio and text. */
  readonly children: ReactNode;
}

/** Audio and its text, of which each follows the other. */
export function TranscribedAudio({ file, transcription, children }: TranscribedAudioProps) {
  const playback = usePlayback(file);
  const audio = useDecoded(file);
  const onPlay = useStableCallback(playback.playFrom);
  return (
    <>
      <ChosenAudio file={file} audio={audio} playback={playback} />
      {children}
      {transcription && (
        <section aria-label="Transcript">
          <Group justify="space-between" gap="xs" mb="xs">
            <Text size="sm" fw={500}>
              Transcript
            </Text>
            <TranscriptDownloads transcription={transcription} fileName={file.name} />
          </Group>
          <TranscriptView transcription={transcription} position={playback.position} onPlay={onPlay} />
        </section>
      )}
    </>
  );
}
