import * as v from 'valibot';
import { queueJob } from '#runtime/jobs/queue-job.ts';
import { services } from '#runtime/services/container.ts';
import { changeIn } from '#runtime/stream-image.ts';

const Wake = v.object({ wake: v.object({ accountId: v.number(), id: v.string(), hops: v.optional(v.number(), 0) }) });

/** A webhook to look at, or a change whose events could not be written when it came. */
export const handler = queueJob(
  async (message) => {
    const change = changeIn(message);
    const webhooks = await services().webhooks();
    if (change) return webhooks.dispatchEvents([change]);
    const work = await webhooks.worker();
    const { hops, ...webhook } = v.parse(Wake, message).wake;
    return work(webhook, hops);
  },
  { concurrent: true },
);
