import * as v from 'valibot';
import { jobs } from '#contract/jobs.ts';
import type { Speed } from '#domain/webhooks/webhook.ts';
import { queueJob } from '#runtime/jobs/queue-job.ts';
import { webhookEventsJob } from '#runtime/jobs/stream-job.ts';
import { workSignal } from '#runtime/jobs/work-signal.ts';
import { services } from '#runtime/services/container.ts';
import { changeIn } from '#runtime/stream-image.ts';
import { logger } from '#runtime/telemetry.ts';

export const deliverSlowWebhooks = () => deliverJob('slow');

export const deliverWebhooks = () => deliverJob('normal');

/** The failure of one account does not delay the others (docs/adr/0019-webhooks.md). */
export const dispatchWebhooks = webhookEventsJob;

export const sweepWebhooks = () => async (): Promise<void> => {
  const woken = await (await services().webhooks()).wakeAll(workSignal(jobs.sweepWebhooks));
  if (woken > 0) logger().info('woken', { webhooks: woken });
};

const Wake = v.object({
  wake: v.object({ accountId: v.number(), ids: v.array(v.string()), hops: v.number() }),
});

function deliverJob(speed: Speed) {
  return queueJob(
    async (message) => {
      const change = changeIn(message);
      const webhooks = await services().webhooks();
      if (change) return webhooks.dispatchEvents([change]);
      const work = await webhooks.worker();
      const { hops, ...group } = v.parse(Wake, message).wake;
      return work(group, speed, hops);
    },
    { concurrent: true },
  );
}
