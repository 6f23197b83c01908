import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { awsService } from '#aws/service.ts';
import { dynamoTimeout } from '#aws/timeouts.ts';
import type { Route } from '#contract/http/route.ts';
import type { Environment } from '#contract/platform/environment.ts';
import { inference } from '#domain/inference/inference.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { quickRuntime } from '#gateways/sagemaker/quick-runtime.ts';
import type { Invocation, ModelRuntime, SageMakerPlace } from '#gateways/sagemaker/runtime.ts';
import { type ModelGatewaySettings, RecentFailures } from '#gateways/sagemaker/served-model.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import type { MeterAccess } from '#repositories/meter/meter-calls.ts';
import { allowanceProjection } from '#repositories/meter/meter-item.ts';
import { quickMeter } from '#repositories/meter/quick-meter.ts';
import { ambient, environment, lazy, perEnvironment } from '../process.ts';
import { logModelFailure, recordModelResponse } from '../telemetry.ts';
import { createCoreServices, modelDeadlines } from './core-services.ts';

export type CallServices = ReturnType<typeof createCallServices>;

/** Shared by the routes of a process. */
const shared = {
  core: perEnvironment(() => createCoreServices(meterAccess)),
  runtime: perEnvironment(() => modelRuntime(environment())),
  failures: perEnvironment(() => new RecentFailures()),
};

export function createCallServices(route: Pick<Route, 'timeoutSeconds'>) {
  const core = shared.core();
  const { MODEL_ENDPOINTS } = core.environment;
  const deadlines = modelDeadlines(route, core.environment);
  const settings: ModelGatewaySettings = {
    endpointsOf: (model) => MODEL_ENDPOINTS.get(model),
    ...deadlines,
    failures: shared.failures(),
    onResponse: recordModelResponse,
    onFailure: logModelFailure,
  };
  const modelGateway = lazy(() => sagemakerGateway(shared.runtime(), settings));
  const audio = lazy(async () => (await import('./audio-calls.ts')).audioServices(shared.runtime(), settings));
  const newDeadline = () => AbortSignal.timeout(deadlines.deadlineMs);
  const inferenceOf = lazy(() => inference(modelGateway(), bpeTokenizer, core.clock, newDeadline));
  return {
    ...core,
    models: modelGateway,
    inference: inferenceOf,
    analysis: lazy(async () => {
      const { analysisCalls } = await import('./analysis-calls.ts');
      const { deadlineMs } = deadlines;
      return analysisCalls(core.environment, { gateway: modelGateway(), runtime: shared.runtime(), deadlineMs });
    }),
    audio,
    audioJobs: lazy(async () => (await import('./audio-jobs.ts')).audioJobs(core, async () => undefined)),
    translation: lazy(async () => {
      const { translationCalls } = await import('./translation-calls.ts');
      return translationCalls(core.environment, modelGateway(), deadlines.deadlineMs);
    }),
    messages: lazy(async () => (await import('./message-calls.ts')).messageCalls(core)),
    responses: lazy(async () => (await import('./response-calls.ts')).responseCalls(core, inferenceOf())),
    agents: lazy(async () => {
      const { agentCalls } = await import('./agent-calls.ts');
      return agentCalls(core, route, { runtime: shared.runtime(), settings });
    }),
  };
}

type Switch = Pick<Environment, 'FAST_PATH'>;

/** Bypasses the SDK's middleware unless `FAST_PATH` is off or the configuration requires the SDK. */
export function meterAccess({ FAST_PATH }: Switch, loadClient: () => Promise<DynamoDBDocumentClient>): MeterAccess {
  const service = FAST_PATH === 'on' ? awsService('dynamodb') : undefined;
  if (service)
    return quickMeter(service, loadClient, {
      projection: allowanceProjection,
      requestTimeout: dynamoTimeout,
      originOf: (origin) => ambient.databaseOf?.(origin) ?? origin,
    });
  const load = lazy(async () => (await import('#repositories/meter/sdk-meter.ts')).sdkMeter(await loadClient()));
  return { update: async (input) => (await load()).update(input), read: async (input) => (await load()).read(input) };
}

function modelRuntime(settings: Switch): ModelRuntime {
  const runtimes: Readonly<Record<Invocation['place']['kind'], ModelRuntime>> = {
    sagemaker: sagemakerRuntime(settings),
    openai: lateRuntime(lazy(async () => (await import('#gateways/openai-runtime.ts')).openAiRuntime(process.env))),
    bedrock: lateRuntime(lazy(async () => (await import('#gateways/bedrock/bedrock-runtime.ts')).bedrockRuntime())),
  };
  return {
    reply: (invocation) => runtimes[invocation.place.kind].reply(invocation),
    parts: (invocation) => runtimes[invocation.place.kind].parts(invocation),
  };
}

export function sagemakerRuntime({ FAST_PATH }: Switch): ModelRuntime<SageMakerPlace> {
  const service = FAST_PATH === 'on' ? awsService('sagemaker') : undefined;
  const loadClient = lazy(async () => (await import('#aws/clients.ts')).sagemakerClient());
  if (service) return quickRuntime(service, loadClient, {});
  return lateRuntime(
    lazy(async () => (await import('#gateways/sagemaker/sdk-runtime.ts')).sdkRuntime(await loadClient())),
  );
}

/** Loads a runtime while the first call is prepared. Errors are rethrown by the call. */
function lateRuntime<Place>(load: () => Promise<ModelRuntime<Place>>): ModelRuntime<Place> {
  return {
    reply(invocation) {
      load().catch(() => undefined);
      return async (deadline) => (await load()).reply(invocation)(deadline);
    },
    parts(invocation) {
      load().catch(() => undefined);
      return async function* (deadline) {
        yield* (await load()).parts(invocation)(deadline);
      };
    },
  };
}
