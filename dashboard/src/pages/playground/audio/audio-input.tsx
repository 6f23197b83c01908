import { i18n, type MessageDescriptor } from '@lingui/core';
import { t, msg } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, FileButton, Group, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { maxDirectAudioBytes } from '#contract/audio/transcription.ts';
import { Icon } from '../../../components/icon.tsx';
import { Notice } from '../../../components/notice.tsx';
import { useFileDrop } from '../../../lib/file-drop.ts';
import { formatBytes } from '../../../lib/format.ts';
import { useStableCallback } from '../../../lib/hooks.ts';
import css from './audio.module.css';
import { formatClock } from './display.ts';
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

/** Enough for one voice. Browsers may exceed it. */
const bitsPerSecond = 64_000;
const maxRecordingSeconds = 300;
/** Interval at which the recorder delivers data and its size is checked, in milliseconds. */
const partMs = 1000;
/** Reserve for the last part and the end of the file. */
const spareBytes = 256 * 1024;

interface Recording {
  readonly stream: MediaStream;
  /** Time by `performance.now()`. */
  readonly startedAt: number;
}

/** Records from the microphone while its tab is visible, and releases the microphone when the recording ends. */
export function useRecorder(isShown: boolean, onRecorded: (file: File) => void) {
  const [recording, setRecording] = useState<Recording>();
  const [isOpening, setOpening] = useState(false);
  const [failure, setFailure] = useState<MicrophoneFailure>();
  const end = useRef<(isKept: boolean) => void>(undefined);
  const isGone = useRef(false);
  const recorded = useStableCallback(onRecorded);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      end.current?.(false);
    };
  }, []);

  useEffect(() => {
    if (!isShown) end.current?.(true);
  }, [isShown, recording]);

  async function start(): Promise<void> {
    const format = recordingFormat();
    setFailure(typeof format === 'string' ? format : undefined);
    if (typeof format === 'string') return;
    setOpening(true);
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      try {
        if (isGone.current) release(stream);
        else record(stream, format);
      } catch (error) {
        release(stream);
        throw error;
      }
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setOpening(false);
    }
  }

  function record(stream: MediaStream, { type, ending }: RecordingFormat): void {
    const parts: Blob[] = [];
    let bytes = 0;
    let isKept = true;
    const recorder = new MediaRecorder(stream, { mimeType: type, audioBitsPerSecond: bitsPerSecond });
    const stop = (): void => {
      if (recorder.state !== 'inactive') recorder.stop();
    };
    const timer = setTimeout(stop, maxRecordingSeconds * 1000);
    recorder.addEventListener('dataavailable', ({ data }) => {
      parts.push(data);
      bytes += data.size;
      if (bytes > maxDirectAudioBytes - spareBytes) stop();
    });
    recorder.addEventListener('error', () => {
      isKept = false;
      setFailure('failed');
      stop();
    });
    // Fires even if the microphone is disconnected.
    recorder.addEventListener('stop', () => {
      clearTimeout(timer);
      release(stream);
      end.current = undefined;
      setRecording(undefined);
      if (!isKept || isGone.current) return;
      if (bytes === 0) setFailure('failed');
      else recorded(new File(parts, `recording.${ending}`, { type: recorder.mimeType }));
    });
    end.current = (keep) => {
      isKept = keep;
      stop();
    };
    recorder.start(partMs);
    setRecording({ stream, startedAt: performance.now() });
  }

  return {
    recording,
    isOpening,
    failure,
    start,
    stop: () => end.current?.(true),
    discard: () => end.current?.(false),
  };
}

type RecorderState = ReturnType<typeof useRecorder>;

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

type MicrophoneFailure = 'unsupported' | 'insecure' | 'refused' | 'missing' | 'busy' | 'failed';

const failureSentences: Readonly<Record<MicrophoneFailure, MessageDescriptor>> = {
  unsupported: msg`This browser cannot record audio. Choose a file instead.`,
  insecure: msg`Browsers record only on HTTPS pages. Open this page over HTTPS, or choose a file.`,
  refused: msg`Microphone access is blocked. Allow it for this site in the browser’s settings and try again, or choose a file.`,
  missing: msg`No microphone found. Connect one and try again, or choose a file.`,
  busy: msg`The microphone is in use by another program. Close that and try again, or choose a file.`,
  failed: msg`Recording failed. Try again, or choose a file.`,
};

const failures: Readonly<Record<string, MicrophoneFailure>> = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
  NotSupportedError: 'unsupported',
};

/** Maps the errors of `getUserMedia` (W3C, "Media Capture and Streams", 10.2). */
const failureOf = (error: unknown): MicrophoneFailure =>
  (error instanceof DOMException && failures[error.name]) || 'failed';

/** Recording formats of Chrome, Firefox and Safari that the service accepts. */
const formats = [
  { type: 'audio/webm;codecs=opus', ending: 'webm' },
  { type: 'audio/ogg;codecs=opus', ending: 'ogg' },
  { type: 'audio/mp4', ending: 'm4a' },
] as const;
type RecordingFormat = (typeof formats)[number];

/** The format that this browser records, or the reason that it cannot record. */
function recordingFormat(): RecordingFormat | MicrophoneFailure {
  if (!window.isSecureContext) return 'insecure';
  // Older browsers lack both, although the types declare them.
  if (!('mediaDevices' in navigator) || !('MediaRecorder' in window)) return 'unsupported';
  return formats.find(({ type }) => MediaRecorder.isTypeSupported(type)) ?? 'unsupported';
}
