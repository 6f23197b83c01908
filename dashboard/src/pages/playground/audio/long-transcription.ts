import { useEffect, useRef, useState } from 'react';
import type * as v from 'valibot';
import type { NewTranscription, TranscriptionJob, Upload } from '#contract/audio/transcription.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { creditRoutes } from '#contract/routes/credits.ts';
import { call } from '../../../api/call.ts';
import { serverNow } from '../../../api/config.ts';
import type { ApiError } from '../../../api/response.ts';
import { useStableCallback } from '../../../lib/hooks.ts';
import type { ExchangeState } from '../exchange/use-exchange.ts';
import { creditRefusal, uploadTypeOf } from './transcription-rules.ts';

export type Job = v.InferOutput<typeof TranscriptionJob>;

export type LongStage =
  | { readonly kind: 'idle' | 'starting' }
  | { readonly kind: 'uploading'; readonly sent: number }
  | { readonly kind: 'failed'; readonly problem: UploadProblem }
  | { readonly kind: 'refused'; readonly error: ApiError };

interface LongFile {
  readonly file: File;
  readonly seconds: number | undefined;
}

/** An upload that a retry continues. */
interface Begun {
  readonly file: File;
  readonly upload: AllowedUpload;
  readonly hasCome: boolean;
}

const idle: LongStage = { kind: 'idle' };
/** Remaining lifetime, in milliseconds, that an upload form needs before it is used. */
const spareMs = 60_000;

/** Uploads a file and starts its transcription job. API errors are reported by `exchange`. */
export function useLongTranscription(exchange: ExchangeState, onBegun: (job: Job, long: LongFile) => void) {
  const [stage, setStage] = useState(idle);
  const control = useRef<AbortController>(undefined);
  const begun = useRef<Begun>(undefined);
  /** Attempts that the service refused; part of the idempotency key. */
  const refused = useRef(0);
  const isBusy = stage.kind === 'uploading' || stage.kind === 'starting';
  const report = useStableCallback(onBegun);
  useEffect(() => () => control.current?.abort(), []);
  useEffect(() => {
    if (!isBusy) return undefined;
    // Leaving the page would cancel the upload.
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isBusy]);

  async function start(long: LongFile, fields: Omit<v.InferInput<typeof NewTranscription>, 'uploadId'>): Promise<void> {
    const { signal } = (control.current = new AbortController());
    const { error: last } = exchange;
    if (last && last.status !== 0) refused.current += 1;
    // The service deletes a refused file.
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
      // A retry after a lost response receives the job of the first attempt.
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

  /** Checks the balance before the upload, unless the balance cannot be read. */
  async function knownRefusal({ seconds }: LongFile): Promise<ApiError | undefined> {
    const credits = await call(creditRoutes.getCredits, { query: { limit: '1' } }).catch(() => undefined);
    return credits && creditRefusal(credits.balance, seconds);
  }

  /** Creates an upload, or returns that of the previous attempt while its form is valid. */
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

  /** Sends the file unless a previous attempt has completed the upload. */
  async function sent(upload: AllowedUpload, signal: AbortSignal): Promise<void> {
    const { current } = begun;
    if (!current || current.upload !== upload || current.hasCome) return;
    const onProgress = (bytes: number): void => {
      if (!signal.aborted) setStage({ kind: 'uploading', sent: bytes });
    };
    await sendFile(upload, current.file, { signal, onProgress });
    begun.current = { ...current, hasCome: true };
  }

  function cancel(): void {
    control.current?.abort();
    exchange.reset();
    setStage(idle);
  }

  return { stage, isBusy, start, cancel };
}

type AllowedUpload = v.InferOutput<typeof Upload>;

/** Reason for a failed upload: a broken connection, an expired form or a rejection by storage. */
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
  /** Called with the number of bytes sent. */
  readonly onProgress: (sent: number) => void;
}

/** Milliseconds without progress after which a connection counts as broken. */
const stalledMs = 60_000;

/**
 * Sends a file to storage with XMLHttpRequest, because `fetch` reports no upload progress. Rejects with an
 * UploadFailure, including on abort.
 */
function sendFile({ url, fields }: AllowedUpload, file: File, { signal, onProgress }: SendFileOptions): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  // Storage does not need the file's name.
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

/** Derives the reason from S3's status and its error text for an expired form. */
function problemOf({ status, responseText }: XMLHttpRequest): UploadProblem {
  if (status >= 500) return 'broken';
  return status === 403 && /expired/i.test(responseText) ? 'expired' : 'refused';
}
