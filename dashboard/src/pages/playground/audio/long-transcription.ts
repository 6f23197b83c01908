import { useEffect, useRef, useState } from 'react';
import type * as v from 'valibot';
import type { NewTranscription, TranscriptionJob, Upload } from '#contract/audio/transcriptions.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { call } from '../../../api/call.ts';
import { serverNow } from '../../../api/clock.ts';
import type { ApiError } from '../../../api/http/api-error.ts';
import { useStableCallback } from '../../../lib/hooks/use-stable-callback.ts';
import type { ExchangeState } from '../exchange/use-exchange.ts';
import { creditRefusal, uploadTypeOf } from './transcription-rules.ts';

export type Job = v.InferOutput<typeof TranscriptionJob>;

/** How far a file is on its way to its job. */
export type LongStage =
  | { readonly kind: 'idle' | 'starting' }
  | { readonly kind: 'uploading'; readonly sent: number }
  | { readonly kind: 'failed'; readonly problem: UploadProblem }
  | { readonly kind: 'refused'; readonly error: ApiError };

/** What is transcribed, and how long it is, where the browser knows. */
interface LongFile {
  readonly file: File;
  readonly seconds: number | undefined;
}

/** A file and the upload that was begun for it, which a second try goes on with. */
interface Begun {
  readonly file: File;
  readonly upload: AllowedUpload;
  readonly hasCome: boolean;
}

const idle: LongStage = { kind: 'idle' };
/** An upload is not begun with a form that is about to expire. */
const spareMs = 60_000;

/** Uploads a file, and begins its transcription. What the API refuses is the exchange's error. */
export function useLongTranscription(exchange: ExchangeState, onBegun: (job: Job, long: LongFile) => void) {
  const [stage, setStage] = useState(idle);
  const control = useRef<AbortController>(undefined);
  const begun = useRef<Begun>(undefined);
  /** Tries that the service has refused. */
  const refused = useRef(0);
  const isBusy = stage.kind === 'uploading' || stage.kind === 'starting';
  const report = useStableCallback(onBegun);
  useEffect(() => () => control.current?.abort(), []);
  useEffect(() => {
    if (!isBusy) return undefined;
    // The upload ends with the document.
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isBusy]);

  async function start(long: LongFile, fields: Omit<v.InferInput<typeof NewTranscription>, 'uploadId'>): Promise<void> {
    const { signal } = (control.current = new AbortController());
    const { error: last } = exchange;
    if (last && last.status !== 0) refused.current += 1;
    // A file that the service refused is deleted there.
    if (last && [400, 404].includes(last.status)) begun.current = undefined;
    exchange.reset();
    setStage({ kind: 'uploading', sent: 0 });
    try {
      const refusal = await knownRefusal(long);
      if (signal.aborted) return;
      if (refusal) return setStage({ kind: 'refused', error: refusal });
      const upload = await allowed(long.file);
      if (signal.aborted) return;
      if (!upload) return setStage(idle);
      await sent(upload, signal);
      if (signal.aborted) return;
      setStage({ kind: 'starting' });
      const body = { uploadId: upload.id, ...fields };
      // Where its response was lost, the second try is given the job that the first one made.
      const more = { idempotencyKey: [upload.id, refused.current, fields.timestamps, fields.language].join('-') };
      const job = await exchange.call(audioRoutes.createTranscriptionJob, { body }, { body }, more);
      if (signal.aborted) return;
      if (job) begun.current = undefined;
      setStage(idle);
      if (job) report(job, long);
    } catch (error) {
      if (signal.aborted) return;
      const problem = error instanceof UploadFailure ? error.problem : 'broken';
      if (problem !== 'broken') begun.current = undefined;
      setStage({ kind: 'failed', problem });
    }
  }

  /** Before the first byte, where the balance is known. */
  async function knownRefusal({ seconds }: LongFile): Promise<ApiError | undefined> {
    const credits = await call(creditRoutes.getCredits, { query: { limit: '1' } }).catch(() => undefined);
    return credits && creditRefusal(credits.balance, seconds);
  }

  /** The upload of a second try is that of the first, while that may be sent. */
  async function allowed(file: File): Promise<AllowedUpload | undefined> {
    const { current } = begun;
    if (current?.file === file && Date.parse(current.upload.expiresAt) - (await serverNow()) > spareMs)
      return current.upload;
    const contentType = uploadTypeOf(file);
    if (contentType === undefined) throw new UploadFailure('refused');
    const upload = await exchange.call(audioRoutes.createUpload, { body: { contentType, bytes: file.size } });
    if (upload) begun.current = { file, upload, hasCome: false };
    return upload;
  }

  /** Sends the file, where it has not come before. */
  async function sent(upload: AllowedUpload, signal: AbortSignal): Promise<void> {
    const { current } = begun;
    if (!current || current.upload !== upload || current.hasCome) return;
    const onProgress = (bytes: number): void => {
      if (!signal.aborted) setStage({ kind: 'uploading', sent: bytes });
    };
    await sendFile(upload, current.file, { signal, onProgress });
    begun.current = { ...current, hasCome: true };
  }

  /** Stops an upload. */
  function cancel(): void {
    control.current?.abort();
    exchange.reset();
    setStage(idle);
  }

  return { stage, isBusy, start, cancel };
}

type AllowedUpload = v.InferOutput<typeof Upload>;

/** Why a file did not come: the connection broke, its form has expired, or storage refused it. */
export type UploadProblem = 'broken' | 'expired' | 'refused';

class UploadFailure extends Error {
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
function sendFile({ url, fields }: AllowedUpload, file: File, { signal, onProgress }: SendFileOptions): Promise<void> {
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
