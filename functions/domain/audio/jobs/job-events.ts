import { maxTranscriptBytes } from '#contract/audio/transcript-file.ts';
import type { Clock } from '../../shared/ports.ts';
import type { JobEnding } from './job-ending.ts';
import { type AudioRef, type Ending, fileKeys, isOpen, type Job } from './job.ts';
import { type AudioFiles, isOfStorage, type JobStore, type LongAudioModel } from './ports.ts';
import { textFileOf } from './transcript-text.ts';

/** That the model has ended a job; `reply` is the key of what it wrote, where it succeeded. */
export interface ModelEnd {
  readonly ref: AudioRef;
  readonly reply: string | undefined;
}

export interface EventParts {
  readonly jobs: Pick<JobStore, 'find' | 'overdue'>;
  readonly files: Pick<AudioFiles, 'read' | 'write' | 'remove'>;
  readonly model: () => Pick<LongAudioModel, 'transcriptOf'>;
  readonly ending: JobEnding;
  readonly clock: Clock;
  /** Reports a reply that is no transcript. */
  readonly onInvalid: (error: unknown) => void;
}

/** What ends jobs from outside: events of the model, at least once, in any order, and the sweep. */
export function jobEvents({ jobs, files, model, ending, clock, onInvalid }: EventParts) {
  /** Text first, then the job's end, then what is no longer needed: a run that dies is made again from the beginning. */
  async function modelEnded({ ref, reply }: ModelEnd): Promise<void> {
    const job = await jobs.find(ref, clock.now());
    if (job && isOpen(job)) {
      const result = reply === undefined ? { status: 'failed' as const } : await resultOf(job, reply);
      const hasEnded = await ending.end(job, result);
      // Deleted meanwhile: its text goes too.
      if (!hasEnded && !(await jobs.find(ref, clock.now()))) await files.remove(fileKeys.text(ref));
    }
    const upload = job && fileKeys.upload({ ...ref, id: job.uploadId });
    await files.remove(fileKeys.form(ref), ...[reply, upload].filter((key) => key !== undefined));
  }

  async function resultOf(job: Job, reply: string): Promise<Ending> {
    try {
      const bytes = await files.read(reply, maxTranscriptBytes);
      if (!bytes) throw new Error('the reply of the model is not there');
      const transcript = model().transcriptOf(bytes);
      await files.write(fileKeys.text(job), 'application/json', textFileOf(job, transcript));
      const durationSeconds = rounded(Math.max(job.seconds, transcript.duration ?? job.heldSeconds));
      const language = transcript.language ?? undefined;
      return { status: 'completed', durationSeconds, language };
    } catch (error) {
      // The event is handled again.
      if (isOfStorage(error)) throw error;
      onInvalid(error);
      return { status: 'failed' };
    }
  }

  /** Ends what is past its deadline. Returns how many. */
  async function sweep(): Promise<number> {
    const now = clock.now();
    let ended = 0;
    for await (const ref of jobs.overdue(now)) {
      const job = await jobs.find(ref, 0);
      if (!job || !isOpen(job) || job.deadline > now) continue;
      if (await ending.end(job, { status: job.status === 'queued' ? 'failed' : 'expired' })) ended += 1;
      await files.remove(fileKeys.form(ref), fileKeys.upload({ ...ref, id: job.uploadId }));
    }
    return ended;
  }

  return { modelEnded, sweep };
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;
