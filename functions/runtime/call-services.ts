import { briefModelSeconds } from '#contract/shared/limits.ts';
import { inference } from '#domain/inference/inference.ts';
import { translationService } from '#domain/inference/translation.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { createCoreServices } from './core-services.ts';
import { meterUpdate, modelRuntime } from './fast-path.ts';
import { lazy } from './lazy.ts';
import { perEnvironment } from './per-environment.ts';

export type CallServices = ReturnType<typeof build>;

/** What a priced operation uses. */
export const callServices = perEnvironment(build);

function build() {
  const core = createCoreServices(meterUpdate);
  const { environment, clock } = core;
  const deadlineMs = environment.MODEL_DEADLINE_MS;
  const briefDeadlineMs = Math.min(deadlineMs, briefModelSeconds * 1000);
  const modelGateway = lazy(() => {
    const settings = {
      endpointOf: (model: string) => environment.MODEL_ENDPOINTS.get(model),
      deadlineMs,
      briefDeadlineMs,
      streamDeadlineMs: environment.MODEL_STREAM_DEADLINE_MS,
    };
    return sagemakerGateway(modelRuntime(environment), settings);
  });
  const forTranslation = {
    model: environment.TRANSLATION_MODEL,
    newDeadline: () => AbortSignal.timeout(briefDeadlineMs),
  };
  return {
    ...core,
    inference: lazy(() => inference(modelGateway(), bpeTokenizer, clock)),
    translation: lazy(() => translationService(modelGateway(), forTranslation)),
  };
}
