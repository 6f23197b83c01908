import * as v from 'valibot';
import { jobs } from '#contract/jobs.ts';
import { workSignal } from '#runtime/jobs/queue-job.ts';
import { streamJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export const purgeAccounts = () => async (): Promise<void> => {
  const accounts = await services().profile().purge(workSignal(jobs.purgeAccounts));
  if (accounts > 0) logger().info('purged', { accounts });
};

const Image = v.object({ resetRequest: v.string() });

export const sendResetLink = () =>
  streamJob((image) => services().passwords().sendResetLink(v.parse(Image, image).resetRequest));
