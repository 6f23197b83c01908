import { microPerCredit } from '#contract/billing/prices.ts';
import type { AccountEvent, MeterChange } from './event.ts';

/** The end of a transcription of long audio is an entry of its meter, also where nothing comes back. */
export function transcriptionEvents({ after, entries }: Pick<MeterChange, 'after' | 'entries'>): AccountEvent[] {
  const { accountId, seq } = after;
  return entries.flatMap(({ at, job }): AccountEvent[] => {
    if (!job) return [];
    const { id: transcriptionId, status, cost, durationSeconds = 0 } = job;
    const data = { accountId, seq, transcriptionId, credits: cost / microPerCredit };
    if (status === 'completed') return [{ type: 'transcription.completed', at, data: { ...data, durationSeconds } }];
    if (status !== 'failed' && status !== 'expired') return [];
    return [{ type: 'transcription.failed', at, data: { ...data, status } }];
  });
}
