import type { NewTranscription, transcriptionStatuses } from '#contract/audio/transcriptions.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { KeptCharge } from '../../meter/refund.ts';

/** Names an upload or a job. */
export interface AudioRef {
  readonly accountId: number;
  readonly id: string;
}

/** A file that may be uploaded, and transcribed once, until `expiresAt` (epoch ms). Its upload form expires earlier. */
export interface Upload extends AudioRef {
  readonly contentType: string;
  readonly bytes: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Once it is transcribed. */
  readonly jobId?: string;
  /** What the file of this version is, once it was read for an order. */
  readonly facts?: FileFacts & { readonly version: string };
}

/** Container and seconds of a file. `seconds` is undefined if only the whole file shows them. */
export interface FileFacts {
  readonly container: string;
  readonly seconds?: number | undefined;
  /** Maximum seconds, if the content contradicts the header. */
  readonly maxSeconds?: number | undefined;
}

export type JobStatus = (typeof transcriptionStatuses)[number];

/** A transcription of long audio. Moments in epoch ms. */
export interface Job extends AudioRef, Pick<NewTranscription, 'uploadId' | 'timestamps'> {
  readonly language?: string;
  readonly status: JobStatus;
  /** By the file itself; and those that were charged. */
  readonly seconds: number;
  readonly heldSeconds: number;
  /** Of the call that made it. */
  readonly charge: KeptCharge;
  /** Seconds that it came to, once it is completed. */
  readonly durationSeconds?: number;
  /** Microcredits that it is charged for. */
  readonly cost: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Until then its text is kept. */
  readonly expiresAt: number;
  /** Past it an open job has died. */
  readonly deadline: number;
}

/** What a job came to. */
export type Ending =
  | { readonly status: 'completed'; readonly durationSeconds: number; readonly language?: string | undefined }
  | { readonly status: 'failed' | 'expired' };

export const isOpen = ({ status }: Pick<Job, 'status'>): boolean => status === 'queued' || status === 'running';

/** Files of the bucket. The form is what the model reads. */
export const fileKeys = {
  upload: ({ accountId, id }: AudioRef) => `uploads/${accountId}/${id}`,
  form: ({ accountId, id }: AudioRef) => `forms/${accountId}/${id}`,
  text: ({ accountId, id }: AudioRef) => `texts/${accountId}/${id}`,
} as const;

/** The job of a form's key; undefined for any other. */
export function jobOfForm(key: string): AudioRef | undefined {
  const [, accountId, id] = /^forms\/([1-9]\d{0,15})\/(trn_[0-9A-Za-z]+)$/.exec(key) ?? [];
  return accountId === undefined || id === undefined ? undefined : { accountId: Number(accountId), id };
}

/** A job as its owner sees it. */
export function jobView(job: Job) {
  const { id, uploadId, status, language = null, timestamps, durationSeconds = null, cost } = job;
  return {
    id,
    uploadId,
    status,
    language,
    timestamps,
    durationSeconds,
    credits: cost / microPerCredit,
    createdAt: iso(job.createdAt),
    updatedAt: iso(job.updatedAt),
    expiresAt: iso(job.expiresAt),
  };
}

export const iso = (ms: number): string => new Date(ms).toISOString();
