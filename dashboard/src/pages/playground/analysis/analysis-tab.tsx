import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Analysis, labelLimits, maxAnalysisCharacters } from '#contract/analysis/analysis.ts';
import { type AnalysisName, analysisNames } from '#contract/analysis/names.ts';
import { prices } from '#contract/billing/prices.ts';
import { analysisRoutes } from '#contract/routes/analysis.ts';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { count, formatWhole } from '../../../lib/format.ts';
import { GetCodeButton } from '../code/get-code-button.tsx';
import { useExchange } from '../exchange/use-exchange.ts';
import { InputText } from '../parts/input-text.tsx';
import { Inspector } from '../parts/inspector.tsx';
import { LanguageSelect } from '../parts/language-select.tsx';
import { TabLayout } from '../parts/tab-layout.tsx';
import { Findings } from './findings.tsx';

const example = `I bought the Aurora 5 in Oslo on 3 May 2026. The battery is superb, but the strap broke after two weeks.
Please write to Ada Lovelace at ada@example.com, or call +44 20 7946 0958.`;

const titles: Readonly<Record<AnalysisName, string>> = {
  sentiment: 'Sentiment',
  entities: 'Entities',
  key_phrases: 'Key phrases',
  language: 'Language',
  pii: 'Personal data',
  categories: 'Categories',
};

/** Text analysis: what a text is about, who is in it, and what of it is nobody's business. */
export function AnalysisTab() {
  const exchange = useExchange();
  const [text, setText] = useState(example);
  const [analyses, setAnalyses] = useState<readonly AnalysisName[]>(['sentiment', 'entities', 'pii', 'categories']);
  const [labelText, setLabelText] = useState('delivery, quality, price');
  const [language, setLanguage] = useState<string | null>(null);
  const [result, setResult] = useState<{ text: string; analysis: Analysis }>();

  const hasCategories = analyses.includes('categories');
  const labels = [...new Set(labelText.split(',').map((label) => label.trim()))].filter(Boolean);
  const labelError = hasCategories && labelProblem(labels);
  const characters = Array.from(text).length;
  const isTooLong = characters > maxAnalysisCharacters;
  const body = {
    text,
    analyses: [...analyses],
    ...(hasCategories && { labels }),
    ...(language !== null && { language }),
  };

  async function analyze(): Promise<void> {
    // Marks are set by the places of JavaScript's own units.
    const sent = { ...body, offsetUnit: 'utf16' as const };
    const analysis = await exchange.call(analysisRoutes.analyze, { body: sent });
    setResult(analysis && { text, analysis });
  }

  const parameters = (
    <Stack>
      <Text size="sm" c="dimmed">
        {prices.text_analysis.credits} credits per request, for any number of analyses.
      </Text>
      <LanguageSelect value={language} onChange={setLanguage} />
    </Stack>
  );

  return (
    <TabLayout
      title="Text analysis"
      actions={<GetCodeButton request={() => ({ kind: 'analysis', body })} />}
      parameters={parameters}
      details={<Inspector exchange={exchange} />}
    >
      <InputText
        label="Text"
        error={isTooLong && `Enter at most ${formatWhole(maxAnalysisCharacters)} characters`}
        value={text}
        onChange={setText}
      />
      <Checkbox.Group
        label="Analyses"
        mt="md"
        error={analyses.length === 0 && 'Select at least one analysis'}
        value={[...analyses]}
        onChange={(names) => setAnalyses(analysisNames.filter((name) => names.includes(name)))}
      >
        <Group gap="md" mt="xs">
          {analysisNames.map((name) => (
            <Checkbox key={name} value={name} label={titles[name]} />
          ))}
        </Group>
      </Checkbox.Group>
      {hasCategories && (
        <TextInput
          label="Category labels (comma-separated)"
          mt="md"
          error={labelError}
          value={labelText}
          onChange={(event) => setLabelText(event.currentTarget.value)}
        />
      )}
      <Group my="md">
        <Button
          loading={exchange.isRunning}
          disabled={text.trim() === '' || isTooLong || analyses.length === 0 || labelError !== false}
          onClick={() => void analyze()}
        >
          Analyze
        </Button>
        {result && (
          <Text size="sm" c="dimmed">
            {count(result.analysis.credits, 'credit')}
          </Text>
        )}
      </Group>
      {exchange.error && <ErrorNotice error={exchange.error} model="svc-instruct" onRetry={() => void analyze()} />}
      <div role="status">{result && <Findings {...result} />}</div>
    </TabLayout>
  );
}

function labelProblem(labels: readonly string[]): string | false {
  const { min, max, characters } = labelLimits;
  if (labels.length < min || labels.length > max) return `Enter ${min} to ${max} different labels`;
  return (
    labels.some((label) => Array.from(label).length > characters) && `Enter labels of at most ${characters} characters`
  );
}
