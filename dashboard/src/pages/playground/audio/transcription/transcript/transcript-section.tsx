import { Group, Text } from '@mantine/core';
import type { Transcription } from '#contract/audio/transcription.ts';
import { TranscriptDownloads } from './transcript-downloads.tsx';
import { TranscriptView } from './transcript-view.tsx';

interface TranscriptSectionProps {
  readonly transcription: Transcription;
  readonly fileName: string;
  /** Of the audio that is played; nothing where there is none. */
  readonly position?: number | undefined;
  readonly onPlay?: ((seconds: number) => void) | undefined;
}

/** A text with its downloads. */
export function TranscriptSection({ transcription, fileName, position, onPlay }: TranscriptSectionProps) {
  return (
    <section aria-label="Transcript">
      <Group justify="space-between" gap="xs" mb="xs">
        <Text size="sm" fw={500}>
          Transcript
        </Text>
        <TranscriptDownloads transcription={transcription} fileName={fileName} />
      </Group>
      <TranscriptView transcription={transcription} position={position} onPlay={onPlay} />
    </section>
  );
}
