import type { NewTranscription, transcriptionStatuses } from '#contract/audio/transcriptions.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { ChargeSettlement } from '../meter/meter-store.ts';
import type { MeterChanged } from '../meter/metering.ts';
import type { KeptCharge } from '../meter/refund.ts';
import type { RefundWrite, WrittenRefund } from '../meter/refunds.ts';
import type { ModelTranscript } from './transcription.ts';

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

export interface JobPage {
  readonly items: readonly Job[];
  readonly next: string | null;
}

/** The table of uploads and jobs; what has expired by `now` (epoch ms) is not found. */
export interface JobStore {
  /** False when the account has as many open as it may. */
  addUpload(upload: Upload): Promise<boolean>;
  findUpload(ref: AudioRef, now: number): Promise<Upload | undefined>;
  removeUpload(ref: AudioRef): Promise<void>;
  /** Keeps what its file is; of an upload that is gone, nothing. */
  noteFacts(ref: AudioRef, facts: NonNullable<Upload['facts']>): Promise<void>;
  hasRoom(accountId: number, now: number): Promise<boolean>;
  /** Settles the call and makes its job of the upload, all or nothing; `full` where the account has as many open as it may. */
  create(job: Job, settlement: ChargeSettlement): Promise<'done' | 'full' | 'taken' | MeterChanged>;
  find(ref: AudioRef, now: number): Promise<Job | undefined>;
  page(accountId: number, request: { limit: number; cursor?: string | undefined }, now: number): Promise<JobPage>;
  /** Frees an upload for another job, where this one has it. */
  freeUpload(ref: AudioRef, jobId: string): Promise<void>;
  /** Queued to running; a job that has ended meanwhile stays as it is. */
  started(ref: AudioRef, now: number, deadline: number): Promise<void>;
  /** An open job to its end, with what comes back. */
  end(job: Job, write: RefundWrite): Promise<WrittenRefund>;
  /** As `end`, without the job, which still counts as open: the model works on it. */
  endAndRemove(job: Job, write: RefundWrite): Promise<WrittenRefund>;
  remove(ref: AudioRef): Promise<void>;
  /** Counts a job no longer that was removed while it was open. */
  forget(ref: AudioRef): Promise<void>;
  /** Open jobs that are past their deadline. */
  overdue(now: number): AsyncGenerator<AudioRef>;
}

/** Whether storage failed, and not what it has. */
export const isOfStorage = (error: unknown): boolean => error instanceof Error && '$metadata' in error;

export interface StoredFile {
  readonly bytes: number;
  readonly contentType: string;
  /** Names its content: what is read by it is that of one file. */
  readonly version: string;
}

/** The files of long audio, by their keys. */
export interface AudioFiles {
  /**
   * Upload form for a file of exactly this type and length. It expires at `expiresAt` (epoch ms), or earlier with its
   * credentials.
   */
  allowUpload(
    key: string,
    file: { readonly contentType: string; readonly bytes: number; readonly expiresAt: number },
  ): Promise<{ readonly url: string; readonly fields: Readonly<Record<string, string>>; readonly expiresAt: number }>;
  look(key: string): Promise<StoredFile | undefined>;
  /** What the file is, by its beginning and its end. Rejects where it is no audio. */
  factsOf(key: string, file: StoredFile): Promise<FileFacts>;
  /** Writes a file of another between two texts. */
  frame(key: string, from: string, file: StoredFile, frame: Frame): Promise<void>;
  /** Undefined when there is none. Rejects beyond so many bytes. */
  read(key: string, maxBytes: number): Promise<Buffer | undefined>;
  write(key: string, contentType: string, text: string): Promise<void>;
  remove(...keys: readonly string[]): Promise<void>;
}

export interface Frame {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly contentType: string;
}

/** The model for long audio, which reads its file itself and writes its reply beside it. */
export interface LongAudioModel {
  /** What the file stands in for the model. */
  frame(request: {
    readonly contentType: string;
    readonly language?: string | undefined;
    readonly words: boolean;
  }): Frame;
  /** `seconds` of it are paid. */
  start(
    ref: AudioRef,
    file: { readonly key: string; readonly contentType: string; readonly seconds: number },
  ): Promise<void>;
  /** Throws on what is no transcript. */
  transcriptOf(reply: Buffer): ModelTranscript;
}
