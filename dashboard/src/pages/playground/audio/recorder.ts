import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useEffect, useRef, useState } from 'react';
import { maxDirectAudioBytes } from '#contract/audio/transcription.ts';
import { useStableCallback } from '../../../lib/hooks.ts';

/** Enough for one voice. Browsers may exceed it. */
const bitsPerSecond = 64_000;
export const maxRecordingSeconds = 300;
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

export type RecorderState = ReturnType<typeof useRecorder>;

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

type MicrophoneFailure = 'unsupported' | 'insecure' | 'refused' | 'missing' | 'busy' | 'failed';

export const failureSentences: Readonly<Record<MicrophoneFailure, MessageDescriptor>> = {
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
