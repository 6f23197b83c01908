import type { NewTranscription, transcriptionStatuses } from '#contract/audio/transcription.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { iso } from '#contract/shared/time.ts';
import type { ChargeSettlement } from '../meter/meter.ts';
import type { MeterChanged } from '../meter/metering.ts';
import type { RefundableCharge, RefundWrite, WrittenRefund } from '../meter/refund.ts';
import type { ModelTranscript } from './transcription.ts';

export interface AudioRef {
  readonly accountId: number;
  readonly id: string;
}

/** Usable once until `expiresAt` (epoch ms). Its upload form expires earlier. */
export interface Upload extends AudioRef {
  readonly contentType: string;
  readonly bytes: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly jobId?: string;
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

export interface Job extends AudioRef, Pick<NewTranscription, 'uploadId' | 'timestamps'> {
  readonly language?: string;
  readonly status: JobStatus;
  /** Duration according to the file, and the charged duration. */
  readonly seconds: number;
  readonly heldSeconds: number;
  readonly charge: RefundableCharge;
  readonly durationSeconds?: number;
  readonly cost: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  readonly deadline: number;
}

export type Ending =
  | { readonly status: 'completed'; readonly durationSeconds: number; readonly language?: string | undefined }
  | { readonly status: 'failed' | 'expired' };

export const isOpen = ({ status }: Pick<Job, 'status'>): boolean => status === 'queued' || status === 'running';

export const fileKeys = {
  upload: ({ accountId, id }: AudioRef) => `uploads/${accountId}/${id}`,
  form: ({ accountId, id }: AudioRef) => `forms/${accountId}/${id}`,
  text: ({ accountId, id }: AudioRef) => `texts/${accountId}/${id}`,
} as const;

export function jobOfForm(key: string): AudioRef | undefined {
  const [, accountId, id] = /^forms\/([1-9]\d{0,15})\/(trn_[0-9A-Za-z]+)$/.exec(key) ?? [];
  return accountId === undefined || id === undefined ? undefined : { accountId: Number(accountId), id };
}

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

export interface JobPage {
  readonly items: readonly Job[];
  readonly next: string | null;
}

/** Uploads and jobs. Items that have expired by `now` (epoch ms) do not exist. */
export interface JobStore {
  addUpload(upload: Upload): Promise<boolean>;
  findUpload(ref: AudioRef, now: number): Promise<Upload | undefined>;
  removeUpload(ref: AudioRef): Promise<void>;
  noteFacts(ref: AudioRef, facts: NonNullable<Upload['facts']>): Promise<void>;
  hasRoom(accountId: number, now: number): Promise<boolean>;
  /** Settles the call and creates its job in one write. `too many jobs`: the account is at its limit of open jobs. */
  create(job: Job, settlement: ChargeSettlement): Promise<'done' | 'too many jobs' | 'upload used' | MeterChanged>;
  find(ref: AudioRef, now: number): Promise<Job | undefined>;
  page(accountId: number, request: { limit: number; cursor?: string | undefined }, now: number): Promise<JobPage>;
  freeUpload(ref: AudioRef, jobId: string): Promise<void>;
  started(ref: AudioRef, now: number, deadline: number): Promise<void>;
  end(job: Job, write: RefundWrite): Promise<WrittenRefund>;
  /** Like `end`, but deletes the job. It still counts as open, because the model continues. */
  endAndRemove(job: Job, write: RefundWrite): Promise<WrittenRefund>;
  remove(ref: AudioRef): Promise<void>;
  forget(ref: AudioRef): Promise<void>;
  overdue(now: number): AsyncGenerator<AudioRef>;
}

export const isOfStorage = (error: unknown): boolean => error instanceof Error && '$metadata' in error;

export interface StoredFile {
  readonly bytes: number;
  readonly contentType: string;
  /** Identifies the content, so that separate reads refer to the same file. */
  readonly version: string;
}

export interface AudioFiles {
  /**
   * Creates a form for a file of this type and length. It expires at `expiresAt` (epoch ms) or with its credentials.
   */
  allowUpload(
    key: string,
    file: { readonly contentType: string; readonly bytes: number; readonly expiresAt: number },
  ): Promise<{ readonly url: string; readonly fields: Readonly<Record<string, string>>; readonly expiresAt: number }>;
  look(key: string): Promise<StoredFile | undefined>;
  factsOf(key: string, file: StoredFile): Promise<FileFacts>;
  frame(key: string, from: string, file: StoredFile, frame: Frame): Promise<void>;
  read(key: string, maxBytes: number): Promise<Buffer | undefined>;
  write(key: string, contentType: string, text: string): Promise<void>;
  remove(...keys: readonly string[]): Promise<void>;
}

export interface Frame {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly contentType: string;
}

export interface LongAudioModel {
  frame(request: {
    readonly contentType: string;
    readonly language?: string | undefined;
    readonly words: boolean;
  }): Frame;
  start(
    ref: AudioRef,
    file: { readonly key: string; readonly contentType: string; readonly seconds: number },
  ): Promise<void>;
  transcriptOf(reply: Buffer): ModelTranscript;
}
