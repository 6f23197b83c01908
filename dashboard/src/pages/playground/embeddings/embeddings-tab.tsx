import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import * as v from 'valibot';
import { findModel, maxDimensions } from '#contract/inference/models.ts';
import { inferenceRoutes } from '#contract/routes/inference/inference.ts';
import { integer } from '#contract/shared/fields.ts';
import { limits } from '#contract/shared/limits.ts';
import { numberError } from '../../../api/forms/form-errors.ts';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { WholeNumberField } from '../../../components/forms/whole-number-field.tsx';
import { formatWhole } from '../../../lib/format.ts';
import { GetCodeButton } from '../code/get-code-button.tsx';
import { useExchange } from '../exchange/use-exchange.ts';
import { InputText } from '../parts/input-text.tsx';
import { Inspector } from '../parts/inspector.tsx';
import { TabLayout } from '../parts/tab-layout.tsx';
import { HeatMap } from './heat-map.tsx';
import { similarities } from './similarity.ts';

const examples = [
  'The cat sleeps on the sofa.',
  'The cat naps on the old sofa.',
  'The invoice is due on Friday.',
  'The invoice was paid on Friday.',
].join('\n');

const defaultDimensions = findModel('svc-embed', 'embeddings')?.dimensions ?? 0;
const dimensionsRule = integer(1, maxDimensions);

/** One text by itself has nothing to be compared with. */
function countError(texts: number): string | undefined {
  if (texts > limits.embeddingTexts) return `Enter at most ${limits.embeddingTexts} texts`;
  return texts < 2 ? 'Enter at least 2 texts, each on a line of its own' : undefined;
}

/** Texts as vectors, and how near they are to each other. */
export function EmbeddingsTab() {
  const exchange = useExchange();
  const [text, setText] = useState(examples);
  const [dimensions, setDimensions] = useState<number | string>('');
  const [result, setResult] = useState<{ texts: string[]; matrix: number[][] }>();
  const texts = text.split('\n').filter((line) => line.trim() !== '');
  const dimensionsError = numberError('Dimensions', dimensionsRule, dimensions);
  const textsError = countError(texts.length);

  const canSend = textsError === undefined && dimensionsError === undefined;
  const body = { model: 'svc-embed', input: texts, ...(v.is(dimensionsRule, dimensions) && { dimensions }) };

  async function embed(): Promise<void> {
    const response = await exchange.call(inferenceRoutes.createEmbeddings, { body });
    const vectors = response?.data.map(({ embedding }) => (typeof embedding === 'string' ? [] : embedding));
    setResult(vectors && { texts, matrix: similarities(vectors) });
  }

  const parameters = (
    <Stack>
      <Text size="sm" c="dimmed">
        Model <span className="mono">svc-embed</span>
      </Text>
      <WholeNumberField
        label="Dimensions"
        placeholder={`Default: ${formatWhole(defaultDimensions)}`}
        value={dimensions}
        error={dimensionsError}
        onChange={setDimensions}
      />
    </Stack>
  );

  return (
    <TabLayout
      title="Texts"
      actions={<GetCodeButton request={() => ({ kind: 'embeddings', body })} />}
      parameters={parameters}
      details={<Inspector exchange={exchange} hasTokens />}
    >
      <InputText label="Texts, one per line" error={textsError} value={text} onChange={setText} />
      <Group my="md">
        <Button loading={exchange.isRunning} disabled={!canSend} onClick={() => void embed()}>
          Compare
        </Button>
      </Group>
      {exchange.error && (
        <ErrorNotice error={exchange.error} model="svc-embed" onRetry={canSend ? () => void embed() : undefined} />
      )}
      {result && <HeatMap {...result} />}
    </TabLayout>
  );
}
