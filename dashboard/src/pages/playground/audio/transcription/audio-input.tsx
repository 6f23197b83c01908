import { Button, FileButton, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { maxDirectAudioBytes } from '#contract/audio/transcription.ts';
import { longAudio } from '#contract/audio/transcriptions.ts';
import { Icon } from '../../../../components/elements/icon.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { formatBytes } from '../../../../lib/format.ts';
import { useFileDrop } from '../../../../lib/use-file-drop.ts';
import { formatClock } from '../clock.ts';
import { audioTypes } from './audio-types.ts';
import { uploadTypeOf } from './long/upload-type.ts';
import { failureSentences } from './recorder/microphone.ts';
import { RecordingView } from './recorder/recording-view.tsx';
import { maxRecordingSeconds, type RecorderState } from './recorder/use-recorder.ts';
import css from './transcription.module.css';

const maxMegabytes = longAudio.maxBytes / 1e6;

interface AudioInputProps {
  readonly recorder: RecorderState;
  readonly isDisabled: boolean;
  readonly onAudio: (file: File) => void;
}

/** Audio from the microphone, or from a file that is chosen or dropped. */
export function AudioInput({ recorder, isDisabled, onAudio }: AudioInputProps) {
  const [refusal, setRefusal] = useState<string>();
  const { recording, isOpening, failure, start, stop, discard } = recorder;

  function take(file: File | null | undefined): void {
    if (!file || isDisabled) return;
    const problem = fileProblem(file);
    setRefusal(problem);
    if (problem === undefined) onAudio(file);
  }

  const drop = useFileDrop((file) => {
    if (!recording) take(file);
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

/** Why the service would not take it; what is no audio is found by the service. */
function fileProblem(file: File): string | undefined {
  const { size } = file;
  if (size === 0) return 'The file is empty.';
  if (size <= maxDirectAudioBytes) return undefined;
  if (size > longAudio.maxBytes)
    return `The file has ${formatBytes(size)}, and an upload takes at most ${maxMegabytes} MB. Choose a shorter one, or one of a lower bit rate.`;
  if (uploadTypeOf(file) === undefined)
    return 'The format of the file is unknown: its name must end as one of the formats below does.';
  return undefined;
}
