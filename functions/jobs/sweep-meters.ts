import { services } from '#runtime/container.ts';
import { logger } from '#runtime/telemetry.ts';

export async function handler(): Promise<void> {
  const { metering, clock } = services();
  const accounts = await metering().sweep(clock.now());
  if (accounts > 0) logger().info('swept', { accounts });
}
