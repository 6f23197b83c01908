import { longAudio, type NewTranscription, type NewUpload } from '#contract/audio/transcriptions.ts';
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
  iso,
  isOfStorage,
  type JobStore,
  type StoredFile,
  type Upload,
} from './job.ts';
import { minBytesPerSecond, transcriptionModel } from './transcription.ts';

/** A file ready to be transcribed, once that is admitted. `type` is what the file is. */
export interface JobOrder extends Order {
  readonly input: NewTranscription;
  readonly upload: Upload;
  readonly file: StoredFile;
  readonly type: string;
  readonly seconds: number;
  readonly heldSeconds: number;
}

/** A header may have less than a row can. */
const minSeconds = 0.001;

export interface JobOrderParts {
  readonly jobs: Pick<JobStore, 'findUpload' | 'hasRoom' | 'noteFacts' | 'removeUpload'>;
  readonly files: Pick<AudioFiles, 'look' | 'factsOf' | 'remove'>;
  readonly clock: Clock;
}

/**
 * Makes the order of an upload: refuses one that is not the account's (404), that did not come or is used (409), or is no audio (400), which is
 * deleted. It is held for the seconds that its beginning and end have, and at least for those that its bytes last.
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
    const made = { model, amount, input, upload, file, type: container.type, seconds, heldSeconds };
    /** Who cannot afford what the file may last holds all there is, if that is enough for the seconds that are known. */
    const within = async (budget: number) =>
      budget >= secondPrice('transcription', seconds) ? { ...made, amount: Math.min(amount, budget) } : undefined;
    return { ...made, within };
  }

  /** Kept once read: an order that is refused for its credits or its rate costs no reads of storage when it is made again. */
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
      throw new ServiceError('INVALID_FORMAT', 'The audio may last at most 24 hours.');
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
  unusable(`An account may have ${longAudio.openJobs} unfinished transcriptions; wait until one has ended.`);

export interface UploadParts {
  readonly jobs: Pick<JobStore, 'addUpload'>;
  readonly files: Pick<AudioFiles, 'allowUpload'>;
  /** Refuses (429) an account that begins too many. */
  readonly demandUpload: (accountId: number) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Allows files to be sent to storage (docs/audio.md#long-audio). */
export function uploadService({ jobs, files, demandUpload, clock, random }: UploadParts) {
  return async (accountId: number, { contentType, bytes }: NewUpload) => {
    refuseUnknownType(contentType);
    await demandUpload(accountId);
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
