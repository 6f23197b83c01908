import { type Analysis, type AnalysisRequest } from '#contract/analysis/analysis.ts';
import { type AnalysisName } from '#contract/analysis/names.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { Model } from '#contract/inference/models.ts';
import type { ModelCall } from '../inference/model-gateway.ts';
import type { Order, Proof } from '../inference/order.ts';
import { fixedPrice } from '../meter/pricing.ts';
import { failingTogether } from '../shared/concurrency.ts';
import type { ChatAnalyzer } from './chat-analyzer.ts';
import { type IsPhoneNumber, mayHavePhones } from './pii-rules.ts';
import { type Span, spanIn } from './quotes.ts';
import { personalData, redacted } from './redact.ts';
import type { AnalysisTask, Encoder, Findings } from './text-analyzer.ts';

export interface AnalysisOrder extends Order {
  readonly request: AnalysisRequest;
  readonly call: ModelCall<Promise<Findings>>;
}

export interface AnalysisSettings {
  readonly model: Model;
  readonly chat: ChatAnalyzer;
  readonly encoders: readonly Encoder[];
  readonly newDeadline: () => AbortSignal;
  readonly loadPhoneNumbers: () => Promise<IsPhoneNumber>;
}

/** Models only quote and classify; offsets are computed here (docs/inference.md#text-analysis). */
export function analysisService(settings: AnalysisSettings) {
  const { model, newDeadline, loadPhoneNumbers } = settings;

  async function order(request: AnalysisRequest, prove: Proof): Promise<AnalysisOrder> {
    const { calls, chatTask } = callsOf(request, settings);
    if (chatTask) await settings.chat.requireRoom(chatTask, prove);
    return { model: model.id, amount: fixedPrice('text_analysis'), request, call: allOf(calls) };
  }

  /** Returns all requested analyses or throws MODEL_ERROR, SERVICE_UNAVAILABLE or MODEL_TIMEOUT. */
  async function analyze({ request, amount, call }: AnalysisOrder): Promise<Analysis> {
    const { text, analyses } = request;
    const hidesPii = analyses.includes('pii');
    const [found, isPhoneNumber] = await Promise.all([
      call.send(newDeadline()),
      hidesPii && mayHavePhones(text) ? loadPhoneNumbers() : noPhoneNumber,
    ]);
    const at = spanIn(text, request.offsetUnit);
    const wordsOf = ({ start, end }: Span): string => text.slice(start, end);
    const { language, sentiment, entities, keyPhrases, categories, unlocated } = found;
    const pii = hidesPii && personalData(text, found.personalData ?? [], isPhoneNumber);
    return {
      ...(language && { language: { code: language.label, score: language.score } }),
      ...(sentiment && { sentiment }),
      ...(entities && {
        entities: entities.map(({ type, score, ...span }) => ({ text: wordsOf(span), type, ...at(span), score })),
      }),
      ...(keyPhrases && { keyPhrases: keyPhrases.map((span) => ({ text: wordsOf(span), ...at(span) })) }),
      ...(pii && {
        pii: pii.spans.map(({ type, source, ...span }) => ({ type, ...at(span), source })),
        redactedText: redacted(text, pii.spans),
      }),
      ...(categories && { categories: [...categories] }),
      unlocated: unlocated + (pii ? pii.unlocated : 0),
      model: model.id,
      credits: amount / microPerCredit,
    };
  }

  return { order, analyze };
}

const noPhoneNumber: IsPhoneNumber = () => false;

type Calls = readonly ModelCall<Promise<Findings>>[];

function callsOf(request: AnalysisRequest, { chat, encoders }: AnalysisSettings) {
  const { text, labels, language } = request;
  const task = (analyses: readonly AnalysisName[]): AnalysisTask => ({ text, labels, language, analyses });
  const used = encoders.filter(({ analysis }) => request.analyses.includes(analysis));
  const rest = request.analyses.filter((name) => !used.some(({ analysis }) => analysis === name));
  const chatTask = rest.length > 0 ? task(rest) : undefined;
  const calls: Calls = [
    ...(chatTask ? [chat.call(chatTask)] : []),
    ...used.map(({ analysis, analyzer }) => analyzer.call(task([analysis]))),
  ];
  return { chatTask, calls };
}

function allOf(calls: Calls): ModelCall<Promise<Findings>> {
  return {
    prepare() {
      for (const call of calls) call.prepare();
    },
    send: (signal) =>
      failingTogether(signal, async (either) => together(await Promise.all(calls.map((call) => call.send(either))))),
  };
}

const together = (all: readonly Findings[]): Findings => ({
  ...Object.assign({}, ...all),
  unlocated: all.reduce((sum, { unlocated }) => sum + unlocated, 0),
});
