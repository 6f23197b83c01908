import { maxTranscriptBytes } from '#contract/audio/transcription.ts';
import { longAudio } from '#contract/audio/transcriptions.ts';
import type { OpenHold } from '../meter/metering.ts';
import { secondsPaid } from '../meter/pricing.ts';
import type { RefundableCharge } from '../meter/refund.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type JobEnding, textOf } from './job-end.ts';
import { type JobOrder, tooManyJobs } from './job-order.ts';
import { type AudioFiles, fileKeys, isOpen, type Job, type JobStore, jobView, type LongAudioModel } from './job.ts';

export interface JobParts {
  readonly jobs: JobStore;
  readonly files: AudioFiles;
  readonly model: () => LongAudioModel;
  readonly ending: JobEnding;
  readonly clock: Clock;
  readonly random: Random;
  readonly onError: (error: unknown) => void;
}

/** Maximum seconds in SageMaker's queue, and of the model's work on a job (docs/adr/0023-long-audio.md). */
export const jobSeconds = { waiting: 6 * 3600, working: 3600 } as const;

const graceMs = 15 * 60_000;
const beginningMs = 5 * 60_000;

const workingMs = (jobSeconds.waiting + jobSeconds.working) * 1000 + graceMs;
const dayMs = 86_400_000;

export function jobService({ jobs, files, model, ending, clock, random, onError }: JobParts) {
  /** Charges the call and creates its job in one write, then starts the model. Refunds the call if that fails. */
  async function create(accountId: number, order: JobOrder, openHold: OpenHold) {
    const { input, upload, file, type } = order;
    const now = clock.now();
    const ref = { accountId, id: timedId('trn', now, random) };
    const frame = model().frame({ contentType: type, language: input.language, words: input.timestamps === 'word' });
    const form = fileKeys.form(ref);
    await files.frame(form, fileKeys.upload(upload), file, frame);
    const createJob = (kept: RefundableCharge): Job => ({
      ...ref,
      uploadId: upload.id,
      timestamps: input.timestamps,
      ...(input.language !== undefined && { language: input.language.toLowerCase() }),
      status: 'queued',
      seconds: order.seconds,
      heldSeconds: order.heldSeconds,
      charge: kept,
      cost: openHold.held,
      createdAt: now,
      updatedAt: now,
      expiresAt: now + longAudio.textDays * dayMs,
      deadline: now + beginningMs,
    });
    let job: Job | undefined;
    const outcome = await openHold.settleWith(openHold.held, clock.now(), async (settlement, kept) => {
      job = createJob(kept);
      return jobs.create(job, settlement);
    });
    if (!job || outcome !== 'done') {
      await files.remove(form);
      if (outcome === 'too many jobs') throw tooManyJobs();
      if (outcome === 'hold closed')
        throw new ServiceError(
          'SERVICE_UNAVAILABLE',
          'The transcription took too long to start and was not charged; try again.',
          {
            retryAfterSeconds: 1,
          },
        );
      throw new ServiceError('INVALID_STATE', 'The upload is already used by another request, or has expired.');
    }
    return jobView(await begun(job, frame.contentType));
  }

  async function begun(job: Job, contentType: string): Promise<Job> {
    const key = fileKeys.form(job);
    const upload = { ...job, id: job.uploadId };
    try {
      await model().start(job, { key, contentType, seconds: secondsPaid('transcription', job.charge.amount) });
    } catch (error) {
      await rollBack(job, key).catch(onError);
      throw error;
    }
    const now = clock.now();
    await jobs.started(job, now, now + workingMs).catch(onError);
    await files.remove(fileKeys.upload(upload)).catch(onError);
    return { ...job, status: 'running', updatedAt: now };
  }

  /** Keeps the upload, so that a retry need not send the file again. */
  async function rollBack(job: Job, form: string): Promise<void> {
    await ending.end(job, { status: 'failed' });
    await jobs.freeUpload({ ...job, id: job.uploadId }, job.id);
    await files.remove(form);
  }

  async function existing(accountId: number, id: string): Promise<Job> {
    const job = await jobs.find({ accountId, id }, clock.now());
    if (job) return job;
    throw new ServiceError('NOT_FOUND', 'There is no such transcription.');
  }

  async function get(accountId: number, id: string) {
    const job = await existing(accountId, id);
    const nothing = { ...jobView(job), text: null, segments: [], words: [] };
    if (job.status !== 'completed') return nothing;
    const file = await files.read(fileKeys.text(job), maxTranscriptBytes);
    return file ? { ...jobView(job), ...textOf(file) } : nothing;
  }

  async function list(accountId: number, request: { limit: number; cursor?: string | undefined }) {
    const { items, next } = await jobs.page(accountId, request, clock.now());
    return { items: items.map(jobView), nextCursor: next };
  }

  /** An open job is charged for the duration of its file, because the model finishes it regardless. */
  async function remove(accountId: number, id: string): Promise<void> {
    const job = await existing(accountId, id);
    if (isOpen(job)) await ending.endAndRemove(job);
    await jobs.remove(job);
    await files.remove(fileKeys.text(job), fileKeys.form(job), fileKeys.upload({ ...job, id: job.uploadId }));
  }

  return { create, get, list, remove };
}
