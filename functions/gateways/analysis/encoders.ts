import { type Sentiment, sentiments } from '#contract/analysis/names.ts';
import { languageName } from '#contract/inference/languages.ts';
import type { AnalysisEncoders } from '#contract/platform/analysis-encoders.ts';
import type { Encoder } from '#domain/analysis/text-analyzer.ts';
import type { EncoderSettings } from './encoder-call.ts';
import { sequenceClassification } from './sequence-classification.ts';
import { tokenClassification } from './token-classification.ts';

/** The encoders that a stage has. */
export function encodersOf({ sentiment, language, entities }: AnalysisEncoders, settings: EncoderSettings): Encoder[] {
  const encoders: Encoder[] = [];
  if (sentiment) {
    const labelOf = (label: string): Sentiment | undefined =>
      (Object.hasOwn(sentiment.labels, label) ? sentiment.labels[label] : undefined) ??
      sentiments.find((name) => name === label.toLowerCase());
    const finding = (best: { label: Sentiment; score: number | null }) => ({ sentiment: best });
    const analyzer = sequenceClassification(settings, sentiment, { name: 'of the sentiment', labelOf, finding });
    encoders.push({ analysis: 'sentiment', analyzer });
  }
  if (language) {
    const labelOf = (label: string) => (languageName(label) === undefined ? undefined : label.toLowerCase());
    const finding = (best: { label: string; score: number | null }) => ({ language: best });
    const analyzer = sequenceClassification(settings, language, { name: 'of the language', labelOf, finding });
    encoders.push({ analysis: 'language', analyzer });
  }
  if (entities) {
    encoders.push({ analysis: 'entities', analyzer: tokenClassification(settings, entities, entities.labels) });
  }
  return encoders;
}
