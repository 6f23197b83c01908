import type { ChargeSettlement } from '../../meter/meter-store.ts';
import type { MeterChanged } from '../../meter/metering.ts';
import type { RefundWrite, WrittenRefund } from '../../meter/refunds.ts';
import type { ModelTranscript } from '../transcription-gateway.ts';
import type { AudioRef, FileFacts, Job, Upload } from './job.ts';

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
