import * as v from 'valibot';
import type { Lane } from '#domain/webhooks/webhook.ts';
import { services } from '../services/container.ts';
import { changeIn } from '../stream-image.ts';
import { queueJob } from './queue-job.ts';

const Wake = v.object({
  wake: v.object({ accountId: v.number(), ids: v.array(v.string()), hops: v.number() }),
});

/** A Lambda on a queue of webhooks to look at, and of changes whose events could not be written when they came. */
export function deliverJob(lane: Lane) {
  return queueJob(
    async (message) => {
      const change = changeIn(message);
      const webhooks = await services().webhooks();
      if (change) return webhooks.dispatchEvents([change]);
      const work = await webhooks.worker();
      const { hops, ...group } = v.parse(Wake, message).wake;
      return work(group, lane, hops);
    },
    { concurrent: true },
  );
}
