import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, FileButton, Group, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { maxDirectAudioBytes } from '#contract/audio/transcription.ts';
import { Icon } from '../../../components/icon.tsx';
import { Notice } from '../../../components/notice.tsx';
import { useFileDrop } from '../../../lib/files.ts';
import { formatBytes } from '../../../lib/format.ts';
import css from './audio.module.css';
import { formatClock } from './display.ts';
import { failureSentences, maxRecordingSeconds, type RecorderState } from './recorder.ts';
import { audioTypes, fileProblem, maxMegabytes } from './transcription-rules.ts';

interface AudioInputProps {
  readonly recorder: RecorderState;
  readonly isDisabled: boolean;
  readonly onAudio: (file: File) => void;
  /** Called when a file is rejected here, so that the previous file's messages can be cleared. */
  readonly onRefused: () => void;
}

/** Audio from the microphone, the file dialog or drag and drop. */
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
    if (files.length > 1) refuse(t`One file at a time.`);
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
            <Trans>Record</Trans>
          </Button>
          <FileButton accept={audioTypes} onChange={take}>
            {(props) => (
              <Button
                {...props}
                variant="default"
                leftSection={<Icon name="docs" size={16} />}
                disabled={isDisabled || isOpening}
              >
                <Trans>Choose file</Trans>
              </Button>
            )}
          </FileButton>
        </Group>
      )}
      <Text size="xs" c="dimmed">
        <Trans>
          Record up to {{ time: formatClock(maxRecordingSeconds) }}, or drop a file here: MP3, WAV, FLAC, Ogg, AAC, MP4
          or WebM, at most {maxMegabytes} MB. Above {{ size: formatBytes(maxDirectAudioBytes) }} it is uploaded, and
          transcribed in the background.
        </Trans>
      </Text>
      {refusal !== undefined && <Notice tone="error">{refusal}</Notice>}
      {failure !== undefined && <Notice tone="warning">{i18n._(failureSentences[failure])}</Notice>}
    </div>
  );
}

interface RecordingViewProps {
  readonly stream: MediaStream;
  readonly startedAt: number;
  readonly onStop: () => void;
  readonly onDiscard: () => void;
}

function RecordingView({ stream, startedAt, onStop, onDiscard }: RecordingViewProps) {
  const [now, setNow] = useState(startedAt);
  useInterval(() => setNow(performance.now()), 250, { autoInvoke: true });
  return (
    <div className={css.recorder}>
      <span className={css.mark} />
      <Text size="sm" className="number" role="timer" aria-label={t`Recorded`}>
        <Trans>
          {{ time: formatClock((now - startedAt) / 1000) }} of {{ limit: formatClock(maxRecordingSeconds) }}
        </Trans>
      </Text>
      <LevelMeter stream={stream} />
      <Button leftSection={<Icon name="stop" size={16} />} onClick={onStop}>
        <Trans>Stop recording</Trans>
      </Button>
      <Button variant="default" onClick={onDiscard}>
        <Trans>Discard</Trans>
      </Button>
    </div>
  );
}

/** Range of the level meter in dB: silence is 60 dB below full scale. */
const range = 60;
/** Share of the displayed level that remains in the next frame, so that short words stay visible. */
const decay = 0.96;

/** Level of the microphone. Drawn without React because it changes every frame. */
function LevelMeter({ stream }: { readonly stream: MediaStream }) {
  const meter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const context = new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: 1024 });
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let [frame, level] = [0, 0];
    const draw = (): void => {
      analyser.getFloatTimeDomainData(samples);
      level = Math.max(levelOf(samples), level * decay);
      meter.current?.style.setProperty('--level', String(level));
      meter.current?.setAttribute('aria-valuenow', String(Math.round(level * 10) * 10));
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => {
      cancelAnimationFrame(frame);
      void context.close();
    };
  }, [stream]);
  return (
    <div
      ref={meter}
      className={css.meter}
      role="meter"
      aria-label={t`Input level`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
    />
  );
}

/** Loudness from 0 to 1, as the logarithm of the mean power. */
function levelOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const decibels = 10 * Math.log10(sum / samples.length + 1e-12);
  return Math.min(1, Math.max(0, 1 + decibels / range));
}
