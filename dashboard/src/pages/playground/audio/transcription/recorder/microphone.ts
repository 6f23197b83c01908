/** Why there is no recording, with what helps. */
export type MicrophoneFailure = 'unsupported' | 'insecure' | 'refused' | 'missing' | 'busy' | 'failed';

export const failureSentences: Readonly<Record<MicrophoneFailure, string>> = {
  unsupported: 'This browser cannot record audio. Choose a file instead.',
  insecure: 'Browsers record only on HTTPS pages. Open this page over HTTPS, or choose a file.',
  refused:
    'Microphone access is blocked. Allow it for this site in the browser’s settings and try again, or choose a file.',
  missing: 'No microphone found. Connect one and try again, or choose a file.',
  busy: 'The microphone is in use by another program. Close that and try again, or choose a file.',
  failed: 'Recording failed. Try again, or choose a file.',
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

/** By what `getUserMedia` rejects with (W3C, "Media Capture and Streams", 10.2). */
export const failureOf = (error: unknown): MicrophoneFailure =>
  (error instanceof DOMException && failures[error.name]) || 'failed';

/** Formats of recordings that the service takes, by what browsers make: Chrome, Firefox, Safari. */
const formats = [
  { type: 'audio/webm;codecs=opus', ending: 'webm' },
  { type: 'audio/ogg;codecs=opus', ending: 'ogg' },
  { type: 'audio/mp4', ending: 'm4a' },
] as const;
export type RecordingFormat = (typeof formats)[number];

/** What this browser records; why not, where it does not. */
export function recordingFormat(): RecordingFormat | MicrophoneFailure {
  if (!window.isSecureContext) return 'insecure';
  // Older browsers have neither, though their types have both.
  if (!('mediaDevices' in navigator) || !('MediaRecorder' in window)) return 'unsupported';
  return formats.find(({ type }) => MediaRecorder.isTypeSupported(type)) ?? 'unsupported';
}
