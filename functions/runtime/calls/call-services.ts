import type { Route } from '#contract/http/route.ts';
import { inference } from '#domain/inference/inference.ts';
import { translationService } from '#domain/inference/translation.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { environment, lazy, perEnvironment } from '../process.ts';
import { createCoreServices } from '../services/core-services.ts';
import { meterUpdate, modelRuntime } from './fast-path.ts';
import { modelDeadlines } from './model-deadlines.ts';

export type CallServices = ReturnType<typeof createCallServices>;

/** Shared by the routes of a process, as their connections are. */
const shared = {
  core: perEnvironment(() => createCoreServices(meterUpdate)),
  runtime: perEnvironment(() => modelRuntime(environment())),
};

/** What the priced operation of a route uses. */
export function createCallServices(route: Pick<Route, 'timeoutSeconds'>) {
  const core = shared.core();
  const { MODEL_ENDPOINTS, TRANSLATION_MODEL } = core.environment;
  const deadlines = modelDeadlines(route, core.environment);
  const settings = { endpointOf: (model: string) => MODEL_ENDPOINTS.get(model), ...deadlines };
  const modelGateway = lazy(() => sagemakerGateway(shared.runtime(), settings));
  const audio = lazy(async () => (await import('./audio-services.ts')).audioServices(shared.runtime(), settings));
  const forTranslation = {
    model: TRANSLATION_MODEL,
    newDeadline: () => AbortSignal.timeout(deadlines.deadlineMs),
  };
  return {
    ...core,
    models: modelGateway,
    inference: lazy(() => inference(modelGateway(), bpeTokenizer, core.clock)),
    /** Read by the function that analyses texts alone. */
    analysis: lazy(async () => {
      const { analysisCalls } = await import('./analysis.ts');
      const { deadlineMs } = deadlines;
      return analysisCalls(core.environment, { gateway: modelGateway(), runtime: shared.runtime(), deadlineMs });
    }),
    /** Read by the functions of audio alone. */
    audio,
    audioJobs: lazy(async () => (await import('../services/audio-jobs.ts')).audioJobs(core, async () => undefined)),
    translation: lazy(() => translationService(modelGateway(), forTranslation)),
    /** Read by the function that sends messages alone. */
    messages: lazy(async () => (await import('./message-calls.ts')).messageCalls(core)),
    agents: lazy(async () => {
      const { agentCalls } = await import('./agent-calls.ts');
      return agentCalls(core, route, shared.runtime());
    }),
  };
}
