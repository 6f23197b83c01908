import { changeStreamJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';

/** One account that fails holds up no other (docs/adr/0019-webhooks.md). */
export const handler = changeStreamJob(
  async (changes) => (await services().webhooks()).dispatchEvents(changes),
  () => services().webhookQueue(),
);
