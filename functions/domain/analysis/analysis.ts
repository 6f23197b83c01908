import type { Analysis, AnalysisRequest } from '#contract/analysis/analysis.ts';
import type { AnalysisName, EntityType, Sentiment } from '#contract/analysis/names.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { Model } from '#contract/inference/models.ts';
import type { ModelCall, Order, Proof } from '../inference/order.ts';
import { fixedPrice } from '../meter/pricing.ts';
import { failingTogether } from '../shared/concurrency.ts';
import type { ChatAnalyzer } from './chat-analyzer.ts';
import { type IsPhoneNumber, mayHavePhones } from './pii-rules.ts';
import { type Span, spanIn } from './quotes.ts';
import { personalData, type PiiQuote, redacted } from './redact.ts';

export interface AnalysisTask extends Pick<AnalysisRequest, 'text' | 'labels' | 'language'> {
  readonly analyses: readonly AnalysisName[];
}

/** `score` from 0 to 1; null if the model reports none. */
export interface Label<Name extends string = string> {
  readonly label: Name;
  readonly score: number | null;
}

export interface EntitySpan extends Span {
  readonly type: EntityType;
  readonly score: number | null;
}

/** Results of the requested analyses. Spans are in UTF-16 units of the entire text and may overlap. */
export interface Findings {
  readonly language?: Label;
  readonly sentiment?: Label<Sentiment>;
  readonly entities?: readonly EntitySpan[];
  readonly keyPhrases?: readonly Span[];
  readonly personalData?: readonly PiiQuote[];
  readonly categories?: readonly Label[];
  readonly unlocated: number;
}

/** Performs some analyses. Failures are ServiceErrors; an invalid reply is a MODEL_ERROR. */
export interface TextAnalyzer {
  call(task: AnalysisTask): ModelCall<Promise<Findings>>;
}

export interface Encoder {
  readonly analysis: AnalysisName;
  readonly analyzer: TextAnalyzer;
}

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
