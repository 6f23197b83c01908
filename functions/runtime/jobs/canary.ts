import { setTimeout as pause } from 'node:timers/promises';
import { models } from '#contract/inference/models.ts';
import { CanaryFailure, canaryModel, walkAsNewUser } from '#domain/canary/canary.ts';
import { serviceClient } from '#gateways/service-client.ts';
import { canaryStore } from '#repositories/canary/canary.ts';
import { services } from '../services/container.ts';
import { dynamoClient } from '../services/dynamo-client.ts';
import { logger, recordWalk } from '../telemetry.ts';

export async function runCanary(): Promise<void> {
  const { environment, clock, random, table } = services();
  const { PUBLIC_ORIGIN: publicOrigin, CANARY_ORIGIN: origin = publicOrigin, CANARY_MODEL } = environment;
  const model = canaryModel(CANARY_MODEL, models);
  const store = canaryStore(dynamoClient(), table('accounts'));
  const parts = { senderFor: serviceClient(origin), store, clock, random, pause, model, publicOrigin };
  const failure = await walkAsNewUser(parts).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure !== undefined) {
    const step = failure instanceof CanaryFailure ? failure.step : 'none of its steps';
    logger().error('the canary failed', { step, error: failure });
  }
  recordWalk(failure !== undefined);
}
