import { longAudio, type NewTranscription, type NewUpload } from '#contract/audio/transcription.ts';
import { iso } from '#contract/shared/time.ts';
import type { Order, Proof } from '../inference/order.ts';
import { secondPrice } from '../meter/pricing.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { containerOf, refuseOtherType, refuseUnknownType } from './checked-audio.ts';
import {
  type AudioFiles,
  type FileFacts,
  fileKeys,
  isOfStorage,
  type JobStore,
  type StoredFile,
  type Upload,
} from './job.ts';
import { minBytesPerSecond, transcriptionModel } from './transcription.ts';

/** An uploaded file that is ready to be transcribed. `type` is its detected media type. */
export interface JobOrder extends Order {
  readonly input: NewTranscription;
  readonly upload: Upload;
  readonly file: StoredFile;
  readonly type: string;
  readonly seconds: number;
  readonly heldSeconds: number;
}

/** Minimum duration, because a header may declare less than a transcription can represent. */
const minSeconds = 0.001;

export interface JobOrderParts {
  readonly jobs: Pick<JobStore, 'findUpload' | 'hasRoom' | 'noteFacts' | 'removeUpload'>;
  readonly files: Pick<AudioFiles, 'look' | 'factsOf' | 'remove'>;
  readonly clock: Clock;
}

/**
 * Throws 404 for an unknown upload, 409 if the file is missing or used, 400 if it is not audio. Holds credits for the
 * declared duration, or the shortest duration of its size if that is longer.
 */
export function jobOrders({ jobs, files, clock }: JobOrderParts) {
  return async (accountId: number, input: NewTranscription, prove: Proof): Promise<JobOrder> => {
    await prove();
    const now = clock.now();
    const upload = await jobs.findUpload({ accountId, id: input.uploadId }, now);
    if (!upload) throw new ServiceError('NOT_FOUND', 'There is no such upload, or it has expired.');
    if (upload.jobId !== undefined) throw unusable(`The upload is already used by the transcription ${upload.jobId}.`);
    if (!(await jobs.hasRoom(accountId, now))) throw tooManyJobs();
    const key = fileKeys.upload(upload);
    const file = await files.look(key);
    if (!file) throw unusable('The file has not been uploaded: send it to the url of the upload first.');
    if (file.bytes !== upload.bytes)
      throw unusable(`The file has ${file.bytes} bytes, but its upload declares ${upload.bytes}.`);
    try {
      return await orderOf(input, upload, file);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'INVALID_FORMAT') {
        await files.remove(key);
        await jobs.removeUpload(upload);
      }
      throw error;
    }
  };

  async function orderOf(input: NewTranscription, upload: Upload, file: StoredFile): Promise<JobOrder> {
    const facts = await factsOf(upload, file);
    const container = containerOf(facts.container);
    refuseOtherType(upload.contentType, container);
    const atLeast = upload.bytes / container.maxBytesPerSecond;
    const seconds = facts.seconds ?? atLeast;
    const { maxSeconds = upload.bytes / minBytesPerSecond } = facts;
    const byContent = facts.maxSeconds !== undefined || facts.seconds === undefined ? maxSeconds : 0;
    const heldSeconds = Math.max(facts.seconds ?? 0, Math.min(byContent, longAudio.maxSeconds), atLeast);
    const model = transcriptionModel;
    const amount = secondPrice('transcription', heldSeconds);
    const order = { model, amount, input, upload, file, type: container.type, seconds, heldSeconds };
    /** If the credits cover only the known duration, holds all remaining credits. */
    const within = async (budget: number) =>
      budget >= secondPrice('transcription', seconds) ? { ...order, amount: Math.min(amount, budget) } : undefined;
    return { ...order, within };
  }

  /** Stored with the upload, so that repeated orders cost no further storage reads. */
  async function factsOf(upload: Upload, file: StoredFile): Promise<FileFacts> {
    const { version } = file;
    if (upload.facts?.version === version) return upload.facts;
    const read = await files.factsOf(fileKeys.upload(upload), file).catch((cause: unknown) => {
      if (isOfStorage(cause) || cause instanceof ServiceError) throw cause;
      throw new ServiceError('INVALID_FORMAT', 'The file is not in a supported audio format, or is incomplete.', {
        cause,
      });
    });
    const { container, seconds, maxSeconds } = read;
    if (seconds !== undefined && seconds > longAudio.maxSeconds)
      throw new ServiceError('INVALID_FORMAT', 'The audio can last at most 24 hours.');
    const facts = {
      container,
      ...(seconds !== undefined && { seconds: Math.max(seconds, minSeconds) }),
      ...(maxSeconds !== undefined && { maxSeconds: Math.max(maxSeconds, minSeconds) }),
    };
    await jobs.noteFacts(upload, { ...facts, version });
    return facts;
  }
}

const unusable = (detail: string) => new ServiceError('INVALID_STATE', detail);

export const tooManyJobs = () =>
  unusable(`An account can have at most ${longAudio.openJobs} unfinished transcriptions. Wait for one to end.`);

export interface UploadParts {
  readonly jobs: Pick<JobStore, 'addUpload'>;
  readonly files: Pick<AudioFiles, 'allowUpload'>;
  readonly enforceUploadLimit: (accountId: number) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
}

export function uploadService({ jobs, files, enforceUploadLimit, clock, random }: UploadParts) {
  return async (accountId: number, { contentType, bytes }: NewUpload) => {
    refuseUnknownType(contentType);
    await enforceUploadLimit(accountId);
    const now = clock.now();
    const expiresAt = now + longAudio.uploadSeconds * 1000;
    const upload: Upload = {
      accountId,
      id: timedId('upl', now, random),
      contentType,
      bytes,
      createdAt: now,
      expiresAt,
    };
    if (!(await jobs.addUpload(upload))) {
      const detail = `An account can have at most ${longAudio.openUploads} pending uploads. Transcribe one, or try again when one has expired.`;
      throw new ServiceError('INVALID_STATE', detail);
    }
    const form = await files.allowUpload(fileKeys.upload(upload), { contentType, bytes, expiresAt });
    return { id: upload.id, url: form.url, fields: { ...form.fields }, expiresAt: iso(form.expiresAt) };
  };
}
