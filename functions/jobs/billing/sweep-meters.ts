import { services } from '#runtime/services/container.ts';
import { logger, recordSweep } from '#runtime/telemetry.ts';

export async function handler(): Promise<void> {
  const { metering, clock, sweepQueues } = services();
  const { lateSeconds, messages } = await metering().dispatch(clock.now(), async (kind, message) => {
    await (await sweepQueues[kind]()).send(message);
  });
  recordSweep(lateSeconds);
  if (messages > 0) logger().info('queued', { messages });
}
