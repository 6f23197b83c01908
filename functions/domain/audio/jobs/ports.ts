import type { Settlement } from '../../meter/meter-store.ts';
import type { LedgerEntry, Meter } from '../../meter/meter.ts';
import type { ModelTranscript } from '../transcription-gateway.ts';
import type { AudioFacts } from '../transcription.ts';
import type { AudioRef, Job, Upload } from './job.ts';

/** A change of a meter to write with something else. */
export interface MeterChangeWrite {
  readonly before: Meter;
  readonly after: Meter;
  readonly entries: readonly LedgerEntry[];
  /** What of a key's budget comes back too. */
  readonly budget?: { readonly id: string; readonly start: number; readonly amount: number } | undefined;
}

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
  hasRoom(accountId: number, now: number): Promise<boolean>;
  /** Settles the call and makes its job of the upload, all or nothing; `full` where the account has as many open as it may. */
  create(job: Job, settlement: Settlement): Promise<'done' | 'full' | 'taken'>;
  find(ref: AudioRef, now: number): Promise<Job | undefined>;
  page(accountId: number, request: { limit: number; cursor?: string | undefined }, now: number): Promise<JobPage>;
  /** Queued to running; a job that has ended meanwhile stays as it is. */
  started(ref: AudioRef, now: number, deadline: number): Promise<void>;
  /** An open job to its end, with what comes back; false when the meter has changed, or the job is no longer open. */
  end(job: Job, write: MeterChangeWrite): Promise<boolean>;
  /** As `end`, without the job. */
  endAndRemove(job: Job, write: MeterChangeWrite): Promise<boolean>;
  remove(ref: AudioRef): Promise<void>;
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
  /** Where a file of exactly this type and length may be sent, for so many seconds. */
  allowUpload(
    key: string,
    file: { readonly contentType: string; readonly bytes: number; readonly seconds: number },
  ): Promise<{ readonly url: string; readonly fields: Readonly<Record<string, string>> }>;
  look(key: string): Promise<StoredFile | undefined>;
  /** What the file is, by its beginning and its end; `seconds` undefined where only all of it has them. Rejects where it is no audio. */
  factsOf(
    key: string,
    file: StoredFile,
  ): Promise<Omit<AudioFacts, 'seconds'> & { readonly seconds: number | undefined }>;
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
  start(ref: AudioRef, file: { readonly key: string; readonly contentType: string }): Promise<void>;
  /** Throws on what is no transcript. */
  transcriptOf(reply: Buffer): ModelTranscript;
}
