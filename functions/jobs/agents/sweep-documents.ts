import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/shared/telemetry.ts';

export async function handler(): Promise<void> {
  const failed = await (await services().agents()).indexingEnds().sweep();
  if (failed > 0) logger().info('documents failed', { failed });
}
