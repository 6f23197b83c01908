import type { AnalysisRequest } from '#contract/analysis/analysis.ts';
import type { AnalysisName, EntityType, Sentiment } from '#contract/analysis/names.ts';
import type { ModelCall } from '../inference/model-gateway.ts';
import type { Span } from './quotes.ts';
import type { PiiQuote } from './redact.ts';

/** What one analyzer is to find in a text. */
export interface AnalysisTask extends Pick<AnalysisRequest, 'text' | 'labels' | 'language'> {
  readonly analyses: readonly AnalysisName[];
}

/** `score` from 0 to 1; null where the model gives none. */
export interface Label<Name extends string = string> {
  readonly label: Name;
  readonly score: number | null;
}

export interface EntitySpan extends Span {
  readonly type: EntityType;
  readonly score: number | null;
}

/** What was found of the requested analyses. Spans count in UTF-16 units of the whole text, and may overlap. */
export interface Findings {
  readonly language?: Label;
  readonly sentiment?: Label<Sentiment>;
  readonly entities?: readonly EntitySpan[];
  readonly keyPhrases?: readonly Span[];
  /** As quoted: where the text has it, in whatever form, is found when it is redacted. */
  readonly personalData?: readonly PiiQuote[];
  readonly categories?: readonly Label[];
  /** Quotes that the text does not have, without those of personal data. */
  readonly unlocated: number;
}

/** A model that does some of the analyses. Failures are ServiceErrors, MODEL_ERROR for a reply that is no analysis. */
export interface TextAnalyzer {
  call(task: AnalysisTask): ModelCall<Promise<Findings>>;
}

/** An encoder that does one analysis in place of the chat model. */
export interface Encoder {
  readonly analysis: AnalysisName;
  readonly analyzer: TextAnalyzer;
}
