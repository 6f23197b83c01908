import type { Environment } from '#contract/platform/environment.ts';
import type { ModelGateway } from '#domain/inference/order.ts';
import { translationService } from '#domain/inference/translation.ts';
import { offeredModel } from './core-services.ts';

export function translationCalls(
  { TRANSLATION_MODEL }: Pick<Environment, 'TRANSLATION_MODEL'>,
  gateway: ModelGateway,
  deadlineMs: number,
) {
  const model = offeredModel(TRANSLATION_MODEL, 'Translation');
  return translationService(gateway, { newDeadline: () => AbortSignal.timeout(deadlineMs), model });
}
