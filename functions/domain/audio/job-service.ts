import * as v from 'valibot';
import { maxTranscriptBytes, TranscriptSegment, TranscriptWord, longAudio } from '#contract/audio/transcription.ts';
import { dayMs } from '#contract/shared/time.ts';
import type { LedgerEntry } from '../meter/meter.ts';
import type { Metering, OpenHold } from '../meter/metering.ts';
import { secondPrice, secondsPaid, unitPriceOfCode } from '../meter/pricing.ts';
import { type RefundableCharge, refunds, type RefundWrite, type WrittenRefund } from '../meter/refund.ts';
import { throwTogether, visitEach } from '../shared/concurrency.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type JobOrder, tooManyJobs } from './job-order.ts';
import {
  type AudioFiles,
  type AudioRef,
  type Ending,
  fileKeys,
  isOfStorage,
  isOpen,
  type Job,
  type JobStore,
  jobView,
  type LongAudioModel,
} from './job.ts';
import { lacksSegments, type ModelTranscript, toleratedSeconds } from './transcription.ts';

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

export type JobEnding = ReturnType<typeof jobEnding>;

export interface EndingParts {
  readonly jobs: Pick<JobStore, 'end' | 'endAndRemove'>;
  readonly metering: Pick<Metering, 'change'>;
  readonly clock: Clock;
}

/** Ends a job once: its status and refund are one conditional write, so a repeated event has no effect. */
export function jobEnding({ jobs, metering, clock }: EndingParts) {
  const refundCharge = refunds(metering, clock);

  async function settle(
    { accountId, charge }: Job,
    cost: number,
    write: (change: RefundWrite) => Promise<WrittenRefund>,
    job?: LedgerEntry['job'],
  ): Promise<boolean> {
    const back = { amount: charge.amount - cost, ...(job && { job }) };
    return (await refundCharge(accountId, charge, back, write)) === 'done';
  }

  function end(job: Job, ending: Ending): Promise<boolean> {
    const { status } = ending;
    const cost = ending.status === 'completed' ? costOf(job, ending.durationSeconds) : 0;
    const { durationSeconds, language } = ending.status === 'completed' ? ending : {};
    const after: Job = {
      ...job,
      status,
      cost,
      updatedAt: clock.now(),
      ...(durationSeconds !== undefined && { durationSeconds }),
      ...(language !== undefined && { language }),
    };
    const note = { id: job.id, status, cost, ...(durationSeconds !== undefined && { durationSeconds }) };
    return settle(job, cost, (change) => jobs.end(after, change), note);
  }

  function endAndRemove(job: Job): Promise<boolean> {
    return settle(job, costOf(job, job.seconds), (change) => jobs.endAndRemove(job, change));
  }

  return { end, endAndRemove };
}

const costOf = ({ charge }: Job, seconds: number): number =>
  Math.min(charge.amount, secondPrice('transcription', seconds, unitPriceOfCode(charge.price)));

export interface ModelEnd {
  readonly ref: AudioRef;
  readonly reply: string | undefined;
}

export interface EventParts {
  readonly jobs: Pick<JobStore, 'find' | 'forget' | 'overdue'>;
  readonly files: Pick<AudioFiles, 'read' | 'write' | 'remove'>;
  readonly model: () => Pick<LongAudioModel, 'transcriptOf'>;
  readonly ending: JobEnding;
  readonly clock: Clock;
  readonly onInvalid: (error: unknown) => void;
}

const maxConcurrentEnds = 10;

/** Ends jobs on events of the model, which may be repeated or out of order, and by the sweep. */
export function jobEvents({ jobs, files, model, ending, clock, onInvalid }: EventParts) {
  /** Write the text, then finish the job, then clean up, so that a crashed run can be repeated. */
  async function modelEnded({ ref, reply }: ModelEnd): Promise<void> {
    const job = await jobs.find(ref, clock.now());
    if (job && isOpen(job)) {
      const result = reply === undefined ? { status: 'failed' as const } : await resultOf(job, reply);
      const hasEnded = await ending.end(job, result);
      if (!hasEnded && !(await jobs.find(ref, clock.now()))) await files.remove(fileKeys.text(ref));
    }
    if (!job) await jobs.forget(ref);
    // A crashed run may have written the text of a deleted job.
    const other = job ? fileKeys.upload({ ...ref, id: job.uploadId }) : fileKeys.text(ref);
    await files.remove(fileKeys.form(ref), other, ...(reply === undefined ? [] : [reply]));
  }

  async function resultOf(job: Job, reply: string): Promise<Ending> {
    try {
      const bytes = await files.read(reply, maxTranscriptBytes);
      if (!bytes) throw new Error('the reply of the model is not there');
      const transcript = model().transcriptOf(bytes);
      // Charging only the header's duration would reward false headers.
      if (
        (transcript.duration ?? 0) >
        toleratedSeconds(secondsPaid('transcription', job.charge.amount, unitPriceOfCode(job.charge.price)))
      )
        return { status: 'failed' };
      if (job.timestamps !== 'none' && lacksSegments(transcript)) throw new Error('the transcript has no segments');
      const text = textFileOf(job, transcript);
      // Invalid bytes become three bytes each.
      if (Buffer.byteLength(text) > maxTranscriptBytes) throw new Error('the text is longer than is kept');
      await files.write(fileKeys.text(job), 'application/json', text);
      const durationSeconds = rounded(Math.max(job.seconds, transcript.duration ?? job.heldSeconds));
      const language = transcript.language ?? undefined;
      return { status: 'completed', durationSeconds, language };
    } catch (error) {
      if (isOfStorage(error)) throw error;
      onInvalid(error);
      return { status: 'failed' };
    }
  }

  /** Ends overdue jobs and returns their number. Throws failures together at the end. */
  async function sweep(signal?: AbortSignal): Promise<number> {
    const now = clock.now();
    let ended = 0;
    const end = async (ref: AudioRef): Promise<void> => {
      if (await expire(ref, now)) ended += 1;
    };
    const { failures } = await visitEach(jobs.overdue(now), end, { concurrency: maxConcurrentEnds, signal });
    throwTogether(failures, 'transcriptions could not be ended');
    return ended;
  }

  async function expire(ref: AudioRef, now: number): Promise<boolean> {
    const job = await jobs.find(ref, 0);
    if (!job || !isOpen(job) || job.deadline > now) return false;
    const hasEnded = await ending.end(job, { status: job.status === 'queued' ? 'failed' : 'expired' });
    await files.remove(fileKeys.form(ref), fileKeys.upload({ ...ref, id: job.uploadId }));
    return hasEnded;
  }

  return { modelEnded, sweep };
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

const StoredText = v.object({
  text: v.string(),
  segments: v.array(TranscriptSegment),
  words: v.array(TranscriptWord),
});

function textFileOf({ timestamps }: Pick<Job, 'timestamps'>, transcript: ModelTranscript): string {
  const segments = timestamps === 'none' ? [] : transcript.segments;
  const words = timestamps === 'word' ? transcript.words : [];
  return JSON.stringify({ text: transcript.text.trim(), segments, words });
}

const textOf = (file: Buffer) => v.parse(StoredText, JSON.parse(file.toString()));
