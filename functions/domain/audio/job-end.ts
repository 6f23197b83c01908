import * as v from 'valibot';
import { maxTranscriptBytes, TranscriptSegment, TranscriptWord } from '#contract/audio/transcription.ts';
import type { LedgerEntry } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import { unitPriceOfCode } from '../meter/price-code.ts';
import { secondPrice, secondsPaid } from '../meter/pricing.ts';
import { refunds, type RefundWrite, type WrittenRefund } from '../meter/refunds.ts';
import { throwTogether, visitEach } from '../shared/concurrency.ts';
import type { Clock } from '../shared/ports.ts';
import {
  type AudioFiles,
  type AudioRef,
  type Ending,
  fileKeys,
  isOfStorage,
  isOpen,
  type Job,
  type JobStore,
  type LongAudioModel,
} from './job.ts';
import { lacksSegments, type ModelTranscript, toleratedSeconds } from './transcription.ts';

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

export const textOf = (file: Buffer) => v.parse(StoredText, JSON.parse(file.toString()));
