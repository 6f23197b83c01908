import { analysisService } from '#domain/analysis/analysis.ts';
import { chatAnalyzer } from '#domain/analysis/chat-analyzer.ts';
import { encodersOf } from '#gateways/analysis/encoders.ts';
import { loadPhoneNumbers } from '#gateways/phone-numbers.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { lazy } from '../shared/lazy.ts';
import type { CallServices } from './call-services.ts';

type AnalysisService = ReturnType<typeof analysisService>;

const made = new WeakMap<CallServices, AnalysisService>();
const phoneNumbers = lazy(loadPhoneNumbers);

/** What analyses texts with the services of a route: apart from them, as only one route has a use for it. */
export function analysisOf(services: CallServices): AnalysisService {
  const known = made.get(services) ?? createAnalysis(services);
  made.set(services, known);
  return known;
}

function createAnalysis({ environment, models, deadlineMs, runtime }: CallServices): AnalysisService {
  const { ANALYSIS_MODEL: model, ANALYSIS_ENCODERS } = environment;
  return analysisService({
    model,
    chat: chatAnalyzer(models(), model, bpeTokenizer),
    encoders: encodersOf(ANALYSIS_ENCODERS, { runtime: runtime(), deadlineMs }),
    newDeadline: () => AbortSignal.timeout(deadlineMs),
    loadPhoneNumbers: phoneNumbers,
  });
}
