import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import * as v from 'valibot';
import { findModel, firstModelFor, maxDimensions } from '#contract/inference/models.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { integer } from '#contract/shared/fields.ts';
import { brand } from '#contract/shared/html.ts';
import { limits } from '#contract/shared/limits.ts';
import { numberError } from '../../api/form-errors.ts';
import { GetCodeButton } from '../../components/get-code-button.tsx';
import { WholeNumberField } from '../../components/whole-number-field.tsx';
import { formatWhole } from '../../lib/format.ts';
import { useExchange } from './exchange/use-exchange.ts';
import css from './playground.module.css';
import { ExchangeNotices, Inspector, InputText, TabLayout } from './tab/tab-layout.tsx';

const examples = (): string =>
  [
    t`The cat sleeps on the sofa.`,
    t`The cat naps on the old sofa.`,
    t`The invoice is due on Friday.`,
    t`The invoice was paid on Friday.`,
  ].join('\n');

const model = firstModelFor('embeddings');
const defaultDimensions = findModel(model, 'embeddings')?.dimensions ?? 0;
const dimensionsRule = integer(1, maxDimensions);

function countError(texts: number): string | undefined {
  if (texts > limits.embeddingTexts) return t`Enter at most ${{ limit: limits.embeddingTexts }} texts`;
  return texts < 2 ? t`Enter at least 2 texts, each on a line of its own` : undefined;
}

export function EmbeddingsTab() {
  const exchange = useExchange();
  const [text, setText] = useState(examples);
  const [dimensions, setDimensions] = useState<number | string>('');
  const [result, setResult] = useState<{ texts: string[]; matrix: number[][] }>();
  const texts = text.split('\n').filter((line) => line.trim() !== '');
  const dimensionsError = numberError(t`Dimensions`, dimensionsRule, dimensions);
  const textsError = countError(texts.length);

  const canSend = textsError === undefined && dimensionsError === undefined;
  const body = {
    model,
    input: texts,
    ...(v.is(dimensionsRule, dimensions) && { dimensions }),
  };

  async function embed(): Promise<void> {
    const response = await exchange.call(inferenceRoutes.createEmbeddings, { body });
    const vectors = response?.data.map(({ embedding }) => (typeof embedding === 'string' ? [] : embedding));
    setResult(vectors && { texts, matrix: similarities(vectors) });
  }

  const parameters = (
    <Stack>
      <Text size="sm" c="dimmed">
        <Trans>
          Model <span className="mono">{model}</span>
        </Trans>
      </Text>
      <WholeNumberField
        label={t`Dimensions`}
        placeholder={t`Default: ${{ value: formatWhole(defaultDimensions) }}`}
        value={dimensions}
        error={dimensionsError}
        onChange={setDimensions}
      />
    </Stack>
  );

  return (
    <TabLayout
      title={t`Texts`}
      actions={<GetCodeButton request={() => ({ kind: 'embeddings', body })} />}
      parameters={parameters}
      details={<Inspector exchange={exchange} hasTokens />}
    >
      <InputText label={t`Texts, one per line`} error={textsError} value={text} onChange={setText} />
      <Group my="md">
        <Button loading={exchange.isRunning} disabled={!canSend} onClick={() => void embed()}>
          <Trans>Compare</Trans>
        </Button>
      </Group>
      <ExchangeNotices exchange={exchange} model={model} onRetry={canSend ? () => void embed() : undefined} />
      {result && <HeatMap {...result} />}
    </TabLayout>
  );
}

interface HeatMapProps {
  readonly texts: readonly string[];
  readonly matrix: readonly (readonly number[])[];
}

/** A matrix of similarities, as numbers and shades. It scrolls horizontally on phones. */
function HeatMap({ texts, matrix }: HeatMapProps) {
  // The same text may appear twice.
  const named = texts.map((text, place) => ({ text, place }));
  return (
    <section aria-label={t`Similarity`}>
      <Text size="sm" fw={500} mb="xs">
        <Trans>Cosine similarity, from 0 (unrelated) to 1 (identical)</Trans>
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={css.scroll} tabIndex={0} role="region" aria-label={t`Similarity matrix`}>
        <table className={css.heat}>
          <thead>
            <tr>
              <td />
              {named.map(({ text, place }) => (
                <th key={place} scope="col" title={text}>
                  {place + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {named.map(({ text, place: row }) => (
              <tr key={row}>
                <th scope="row" title={text} dir="auto">
                  {row + 1} · {text}
                </th>
                {named.map(({ place: column }) => {
                  const value = matrix[row]?.[column] ?? 0;
                  return (
                    <td key={column} style={shade(value)}>
                      {value.toFixed(2)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The deepest shade with a text contrast of at least 4.5 in both themes, in percent. */
const maxShade = 55;

function shade(value: number): { background: string } {
  const depth = Math.round(Math.max(0, Math.min(1, value)) * maxShade);
  return { background: `color-mix(in srgb, ${brand.accent} ${depth}%, var(--surface-sunken))` };
}

/** Cosine similarity of each pair of vectors. */
function similarities(vectors: readonly (readonly number[])[]): number[][] {
  const lengths = vectors.map((vector) => Math.sqrt(dot(vector, vector)));
  return vectors.map((one, row) =>
    vectors.map((other, column) => dot(one, other) / ((lengths[row] ?? 0) * (lengths[column] ?? 0) || 1)),
  );
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}
