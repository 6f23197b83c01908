import type * as v from 'valibot';
import type { Upload } from '#contract/audio/transcriptions.ts';

export type AllowedUpload = v.InferOutput<typeof Upload>;

/** Why a file did not come: the connection broke, its form has expired, or storage refused it. */
export type UploadProblem = 'broken' | 'expired' | 'refused';

export class UploadFailure extends Error {
  readonly problem: UploadProblem;

  constructor(problem: UploadProblem) {
    super(`the upload ended: ${problem}`);
    this.name = 'UploadFailure';
    this.problem = problem;
  }
}

interface SendFileOptions {
  readonly signal: AbortSignal;
  /** Bytes of the file that have left. */
  readonly onProgress: (sent: number) => void;
}

/** A connection over which no byte has left for so long is taken for broken. */
const stalledMs = 60_000;

/** Sends a file to storage. `fetch` reports no progress of what it sends. Rejects with an UploadFailure, also where it is aborted. */
export function sendFile(
  { url, fields }: AllowedUpload,
  file: File,
  { signal, onProgress }: SendFileOptions,
): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  // Storage has no use for its name.
  form.append('file', file, 'audio');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = new XMLHttpRequest();
  const abort = (): void => request.abort();
  const fail = (problem: UploadProblem): void => reject(new UploadFailure(problem));
  let timer = setTimeout(abort, stalledMs);
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    clearTimeout(timer);
    timer = setTimeout(abort, stalledMs);
    onProgress(Math.min(file.size, Math.round((loaded / total) * file.size)));
  });
  request.addEventListener('load', () => {
    if (request.status < 300) resolve();
    else fail(problemOf(request));
  });
  request.addEventListener('error', () => fail('broken'));
  request.addEventListener('abort', () => fail('broken'));
  request.addEventListener('loadend', () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  });
  signal.addEventListener('abort', abort);
  request.open('POST', url);
  request.send(form);
  return promise;
}

/** By S3's error, whose words for an expired form are these. */
function problemOf({ status, responseText }: XMLHttpRequest): UploadProblem {
  if (status >= 500) return 'broken';
  return status === 403 && /expired/i.test(responseText) ? 'expired' : 'refused';
}
