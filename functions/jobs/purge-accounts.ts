import { services } from '#runtime/container.ts';
import { logger } from '#runtime/shared/telemetry.ts';

export async function handler(): Promise<void> {
  const accounts = await services().profile().purge();
  if (accounts > 0) logger().info('purged', { accounts });
}
