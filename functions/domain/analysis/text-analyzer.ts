import type { AnalysisRequest } from '#contract/analysis/analysis.ts';
import type { AnalysisName, EntityType, Sentiment } from '#contract/analysis/names.ts';
import type { ModelCall } from '../inference/model-gateway.ts';
import type { Span } from './quotes.ts';
import type { PiiQuote } from './redact.ts';

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
