import { describe, expect, it } from 'vitest';
import { allJobs, jobs } from '#contract/jobs.ts';
import { maxHops } from '#domain/webhooks/webhook.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { functionsOf, synthesise } from '../synth.ts';

const { api: template } = await synthesise({ stage: payingStage });

describe('the recursion detection of Lambda', () => {
  /**
   * A document has a bounded number of passages, and top-ups end at their monthly limit. Webhooks bound their chains
   * themselves.
   */
  const chains = [jobs.deliverSlowWebhooks.id, jobs.deliverWebhooks.id, jobs.handlePayments.id, jobs.indexDocuments.id];

  it('is off only for functions that send to their own queue, because their chains are bounded', () => {
    const allowed = [...functionsOf(template)].filter(([, fn]) => fn.Properties['RecursiveLoop'] === 'Allow');
    expect(allowed.map(([id]) => id).toSorted()).toEqual(chains);
    expect(maxHops).toBeGreaterThan(16);
  });

  it('covers every other function, because no other cycle exists', () => {
    const queueOfJob = new Map(allJobs.flatMap(({ id, trigger }) => ('queue' in trigger ? [[id, trigger.queue]] : [])));
    const next = new Map(
      allJobs.map(({ id, uses }) => {
        const sent = new Set<string>(uses.queues ?? []);
        return [id, allJobs.filter((job) => sent.has(queueOfJob.get(job.id) ?? '')).map((job) => job.id)] as const;
      }),
    );
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      (next.get(from) ?? []).some((id) => {
        if (id === to) return true;
        if (seen.has(id)) return false;
        return reaches(id, to, seen.add(id));
      });
    expect([...next.keys()].filter((id) => reaches(id, id)).toSorted()).toEqual(chains);
  });
});
