import { Button, FileButton, Group, Text } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { maxDirectAudioBytes } from '#contract/audio/transcription.ts';
import { Icon } from '../../../../components/elements/icon.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { formatBytes } from '../../../../lib/format.ts';
import { formatClock } from '../clock.ts';
import { failureSentences } from './recorder/microphone.ts';
import { RecordingView } from './recorder/recording-view.tsx';
import { maxRecordingSeconds, type RecorderState } from './recorder/use-recorder.ts';
import css from './transcription.module.css';

/** What the file dialog offers. */
const audioTypes = 'audio/*,video/mp4,video/webm,video/ogg,.mp3,.wav,.flac,.ogg,.opus,.aac,.m4a,.mp4,.webm';

interface AudioInputProps {
  readonly recorder: RecorderState;
  readonly isDisabled: boolean;
  readonly onAudio: (file: File) => void;
}

/** Audio from the microphone, or from a file that is chosen or dropped. */
export function AudioInput({ recorder, isDisabled, onAudio }: AudioInputProps) {
  const [isOver, setOver] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const { recording, isOpening, failure, start, stop, discard } = recorder;

  function take(file: File | null | undefined): void {
    if (!file || isDisabled) return;
    const problem = fileProblem(file);
    setRefusal(problem);
    if (problem === undefined) onAudio(file);
  }

  function onDrop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    if (!recording) take(event.dataTransfer.files[0]);
  }

  return (
    <div
      className={css.input}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {recording ? (
        <RecordingView {...recording} onStop={stop} onDiscard={discard} />
      ) : (
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<Icon name="microphone" size={16} />}
            loading={isOpening}
            disabled={isDisabled}
            onClick={() => {
              setRefusal(undefined);
              void start();
            }}
          >
            Record
          </Button>
          <FileButton accept={audioTypes} onChange={take}>
            {(props) => (
              <Button
                {...props}
                variant="default"
                leftSection={<Icon name="docs" size={16} />}
                disabled={isDisabled || isOpening}
              >
                Choose file
              </Button>
            )}
          </FileButton>
        </Group>
      )}
      <Text size="xs" c="dimmed">
        Record up to {formatClock(maxRecordingSeconds)}, or drop a file here: MP3, WAV, FLAC, Ogg, AAC, MP4 or WebM, at
        most {formatBytes(maxDirectAudioBytes)}.
      </Text>
      {refusal !== undefined && <Notice tone="error">{refusal}</Notice>}
      {failure !== undefined && <Notice tone="warning">{failureSentences[failure]}</Notice>}
    </div>
  );
}

/** Why the service would not take it; what is no audio is found by the service. */
function fileProblem({ size }: File): string | undefined {
  if (size === 0) return 'The file is empty.';
  if (size <= maxDirectAudioBytes) return undefined;
  return `The file has ${formatBytes(size)}, and a request takes at most ${formatBytes(maxDirectAudioBytes)}. Choose a shorter one, or one of a lower bit rate.`;
}
