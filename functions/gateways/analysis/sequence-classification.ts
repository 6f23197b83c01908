import * as v from 'valibot';
import type { EncoderPlace } from '#contract/platform/analysis-encoders.ts';
import { maxTeiTexts } from '#contract/platform/model-endpoints.ts';
import { partsOf } from '#domain/analysis/parts/parts.ts';
import { overallScores } from '#domain/analysis/parts/weighted.ts';
import type { Findings, Label, TextAnalyzer } from '#domain/analysis/text-analyzer.ts';
import { type EncoderSettings, encoderCall, maxEncoderBytes } from './encoder-call.ts';

const Score = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
/** Of all labels of a model, each once. */
const Scores = v.pipe(
  v.array(v.object({ label: v.string(), score: Score })),
  v.minLength(1),
  v.check((scores) => new Set(scores.map(({ label }) => label)).size === scores.length, 'must have each label once'),
);

interface Classification<Name extends string> {
  /** What errors call the model. */
  readonly name: string;
  /** Ours for a label of the model; undefined for one that is none. */
  readonly labelOf: (label: string) => Name | undefined;
  readonly finding: (best: Label<Name>) => Omit<Findings, 'unlocated'>;
}

/**
 * A model that classifies sequences in a TEI container: `{"inputs": [["a"], ["b"]]}` is a batch of two texts, where `["a", "b"]` would be a
 * pair of sentences; the reply has the scores of all labels for each (router/src/http/types.rs, PredictInput). A text of several parts
 * has the mean of their scores, by their lengths.
 */
export function sequenceClassification<Name extends string>(
  settings: EncoderSettings,
  place: EncoderPlace,
  { name, labelOf, finding }: Classification<Name>,
): TextAnalyzer {
  const Labels = v.pipe(
    Scores,
    v.transform((scores) => scores.map(({ label, score }) => ({ label: labelOf(label), score }))),
    v.everyItem(isNamed, 'must be labels that are known'),
    v.transform((labels) => labels.filter(isNamed)),
  );
  function isNamed(label: { label: Name | undefined; score: number }): label is { label: Name; score: number } {
    return label.label !== undefined;
  }
  return {
    call({ text }) {
      const batches = () => {
        const parts = partsOf(text, maxEncoderBytes);
        return Array.from({ length: Math.ceil(parts.length / maxTeiTexts) }, (_, batch) => {
          const some = parts.slice(batch * maxTeiTexts, (batch + 1) * maxTeiTexts);
          const Reply = v.pipe(v.array(Labels), v.length(some.length));
          return {
            texts: some.length,
            body: { inputs: some.map((part) => [part.text]), truncate: false, raw_scores: false },
            parse: (value: unknown) =>
              v.parse(Reply, value).map((labels, index) => ({ value: labels, weight: some[index]?.text.length ?? 0 })),
          };
        });
      };
      return encoderCall(settings, place, name, batches, (replies) => {
        const [best] = overallScores(replies.flat());
        return { ...(best && finding(best)), unlocated: 0 };
      });
    },
  };
}
