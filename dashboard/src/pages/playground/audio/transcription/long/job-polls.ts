import type * as v from 'valibot';
import type { TranscriptionJob } from '#contract/audio/transcriptions.ts';

type Status = Pick<v.InferOutput<typeof TranscriptionJob>, 'status'>;

export const isOpen = ({ status }: Status): boolean => status === 'queued' || status === 'running';

/** How often a job is read until it ends: a short one shows its text immediately, a long one is read for the eight hours that it may have. */
const polls = [
  { upTo: 30, ms: 1000 },
  { upTo: 90, ms: 3000 },
  { upTo: 3000, ms: 10_000 },
] as const;

/** After how many ms a job is read again that has been read so many times; false once it has ended. */
export function pollMs(job: Status | undefined, reads: number): number | false {
  if (!job || !isOpen(job)) return false;
  return polls.find(({ upTo }) => reads < upTo)?.ms ?? false;
}
