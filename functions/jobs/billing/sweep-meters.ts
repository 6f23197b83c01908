import { services } from '#runtime/services/container.ts';
import { logger, recordSweep } from '#runtime/shared/telemetry.ts';

export async function handler(): Promise<void> {
  const { metering, clock } = services();
  const { accounts, oldestHoldSeconds } = await metering().sweep(clock.now());
  recordSweep(oldestHoldSeconds);
  if (accounts > 0) logger().info('swept', { accounts });
}
