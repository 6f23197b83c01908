import { Button, FileButton, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { maxDirectAudioBytes } from '#contract/audio/transcription.ts';
import { Icon } from '../../../../components/elements/icon.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { formatBytes } from '../../../../lib/format.ts';
import { useFileDrop } from '../../../../lib/hooks/use-file-drop.ts';
import { formatClock } from '../clock.ts';
import { audioTypes } from './audio-types.ts';
import { fileProblem, maxMegabytes } from './file-problem.ts';
import { failureSentences } from './recorder/microphone.ts';
import { RecordingView } from './recorder/recording-view.tsx';
import { maxRecordingSeconds, type RecorderState } from './recorder/use-recorder.ts';
import css from './transcription.module.css';

interface AudioInputProps {
  readonly recorder: RecorderState;
  readonly isDisabled: boolean;
  readonly onAudio: (file: File) => void;
  /** A file was refused here: what became of the one before is of no interest any more. */
  readonly onRefused: () => void;
}

/** Audio from the microphone, or from a file that is chosen or dropped. */
export function AudioInput({ recorder, isDisabled, onAudio, onRefused }: AudioInputProps) {
  const [refusal, setRefusal] = useState<string>();
  const { recording, isOpening, failure, start, stop, discard } = recorder;

  function take(file: File | null | undefined): void {
    if (!file || isDisabled) return;
    const problem = fileProblem(file);
    if (problem !== undefined) return refuse(problem);
    setRefusal(undefined);
    onAudio(file);
  }

  function refuse(problem: string): void {
    setRefusal(problem);
    onRefused();
  }

  const drop = useFileDrop((files) => {
    if (recording || isDisabled) return;
    if (files.length > 1) refuse('One file at a time.');
    else take(files[0]);
  });

  return (
    <div className={css.input} {...drop}>
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
        most {maxMegabytes} MB. Above {formatBytes(maxDirectAudioBytes)} it is uploaded, and transcribed in the
        background.
      </Text>
      {refusal !== undefined && <Notice tone="error">{refusal}</Notice>}
      {failure !== undefined && <Notice tone="warning">{failureSentences[failure]}</Notice>}
    </div>
  );
}
