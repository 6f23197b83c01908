import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/shared/telemetry.ts';

export async function handler(): Promise<void> {
  const accounts = await services().profile().purge();
  const agents = await (await services().agents()).purgeRest();
  if (agents > 0) logger().info('purged what was left of agents', { agents });
  if (accounts > 0) logger().info('purged', { accounts });
}
