import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Environment } from '#contract/platform/environment.ts';
import type { ModelRuntime } from '#gateways/sagemaker/runtime.ts';
import type { Update } from '#repositories/meter/meter-calls.ts';
import { wantedOfAllowance } from '#repositories/meter/meter-item.ts';
import { awsService } from '../aws/aws-service.ts';
import { dynamoTimeout } from '../aws/timeouts.ts';
import { lazy } from '../process.ts';
import { quickRuntime } from '../quick/quick-runtime.ts';
import { quickUpdate } from '../quick/quick-update.ts';

type Switch = Pick<Environment, 'FAST_PATH'>;

/** How the two writes of a call are sent: past the SDK's middleware, unless that is switched off or only the SDK knows the way. */
export function meterUpdate({ FAST_PATH }: Switch, loadClient: () => Promise<DynamoDBDocumentClient>): Update {
  const service = FAST_PATH === 'on' ? awsService('dynamodb') : undefined;
  if (service) return quickUpdate(service, loadClient, { wanted: wantedOfAllowance, requestTimeout: dynamoTimeout });
  const load = lazy(async () => (await import('#repositories/meter/sdk-update.ts')).sdkUpdate(await loadClient()));
  return async (input) => (await load())(input);
}

/** The same for models. */
export function modelRuntime({ FAST_PATH }: Switch): ModelRuntime {
  const service = FAST_PATH === 'on' ? awsService('sagemaker') : undefined;
  const loadClient = lazy(async () => (await import('../aws/clients.ts')).sagemakerClient());
  if (service) return quickRuntime(service, loadClient, {});
  const load = lazy(async () => (await import('#gateways/sagemaker/sdk-runtime.ts')).sdkRuntime(await loadClient()));
  return {
    reply: (invocation) => async (deadline) => (await load()).reply(invocation)(deadline),
    parts: (invocation) =>
      async function* (deadline) {
        yield* (await load()).parts(invocation)(deadline);
      },
  };
}
