import type { Environment } from '#contract/platform/environment.ts';
import { analysisService } from '#domain/analysis/analysis.ts';
import { chatAnalyzer } from '#domain/analysis/chat-analyzer.ts';
import type { ModelGateway } from '#domain/inference/order.ts';
import { encodersOf } from '#gateways/encoders.ts';
import { loadPhoneNumbers } from '#gateways/phone-numbers.ts';
import type { ModelRuntime } from '#gateways/sagemaker/runtime.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { lazy } from '../process.ts';
import { offeredModel } from './core-services.ts';

interface Models {
  readonly gateway: ModelGateway;
  readonly runtime: ModelRuntime;
  readonly deadlineMs: number;
}

export function analysisCalls(
  { ANALYSIS_MODEL, ANALYSIS_ENCODERS }: Pick<Environment, 'ANALYSIS_MODEL' | 'ANALYSIS_ENCODERS'>,
  { gateway, runtime, deadlineMs }: Models,
) {
  const model = offeredModel(ANALYSIS_MODEL, 'Text analysis');
  return analysisService({
    model,
    chat: chatAnalyzer(gateway, model, bpeTokenizer),
    encoders: encodersOf(ANALYSIS_ENCODERS, { runtime, deadlineMs }),
    newDeadline: () => AbortSignal.timeout(deadlineMs),
    loadPhoneNumbers: lazy(loadPhoneNumbers),
  });
}
