import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Analysis } from '#contract/analysis/analysis.ts';
import { languageName } from '#contract/inference/languages.ts';
import { count } from '../../../lib/format.ts';
import { PlainText } from '../parts/plain-text.tsx';
import css from './analysis.module.css';
import { MarkedText } from './marked-text.tsx';
import { withScore } from './score.ts';

const colors = { positive: 'pine', negative: 'red', neutral: 'gray', mixed: 'yellow' } as const;

interface FindingsProps {
  readonly text: string;
  readonly analysis: Analysis;
}

/** All that an analysis has found; scores only where a model gives some. */
export function Findings({ text, analysis }: FindingsProps) {
  const { sentiment, language, categories, keyPhrases, redactedText, unlocated } = analysis;
  const phrases = [...new Set(keyPhrases?.map((phrase) => phrase.text))];
  return (
    <>
      <dl className={css.facts}>
        {sentiment && (
          <Fact name="Sentiment">
            <Badge color={colors[sentiment.label]}>{withScore(sentiment.label, sentiment.score)}</Badge>
          </Fact>
        )}
        {language && (
          <Fact name="Language">
            <Badge color="gray">{withScore(languageName(language.code) ?? language.code, language.score)}</Badge>
          </Fact>
        )}
        {categories && (
          <Fact name="Categories">
            <Badges labels={categories.map(({ label, score }) => withScore(label, score))} />
          </Fact>
        )}
        {keyPhrases && (
          <Fact name="Key phrases">
            <Badges labels={phrases} />
          </Fact>
        )}
      </dl>
      {(analysis.entities ?? analysis.pii) && <MarkedText text={text} analysis={analysis} />}
      {redactedText !== undefined && (
        <section aria-label="Redacted text">
          <Text size="sm" fw={500} mb={4}>
            Redacted text
          </Text>
          <PlainText>{redactedText}</PlainText>
        </section>
      )}
      {unlocated > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {count(unlocated, 'result')} could not be located in the text
        </Text>
      )}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Badges({ labels }: { readonly labels: readonly string[] }) {
  if (labels.length === 0) return <Text size="sm">None</Text>;
  return labels.map((label) => (
    <Badge key={label} color="gray" className={css.label}>
      {label}
    </Badge>
  ));
}
