import { ActionIcon, Button, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { prices } from '#contract/billing/prices.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { GetCodeButton } from '../../components/get-code-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { count } from '../../lib/format.ts';
import { useExchange } from './exchange/use-exchange.ts';
import { ExchangeNotices, Inspector } from './tab/inspector.tsx';
import { LanguageSelect } from './tab/language-select.tsx';
import { InputText, OutputText, TabLayout } from './tab/tab-layout.tsx';

export function TranslateTab() {
  const exchange = useExchange();
  const [pair, setPair] = useState({ sourceLanguage: 'en', targetLanguage: 'fr' });
  const [text, setText] = useState('Good morning, friend. The river is quiet today.');
  const [result, setResult] = useState<{ text: string; words: number; credits: number }>();
  const isSame = pair.sourceLanguage === pair.targetLanguage;

  async function translate(): Promise<void> {
    const response = await exchange.call(inferenceRoutes.translate, { body: { text, ...pair } });
    setResult(response && { text: response.translatedText, words: response.words, credits: response.credits });
  }

  const parameters = (
    <Stack>
      <Text size="sm" c="dimmed">
        {prices.translation.credits} credits per {prices.translation.unitSize} words, rounded up.
      </Text>
    </Stack>
  );

  return (
    <TabLayout
      title="Translation"
      actions={<GetCodeButton request={() => ({ kind: 'translation', body: { text, ...pair } })} />}
      parameters={parameters}
      details={<Inspector exchange={exchange} />}
    >
      <Group align="flex-end" gap="sm" mb="md" wrap="wrap">
        <LanguageSelect
          label="From"
          isRequired
          value={pair.sourceLanguage}
          onChange={(value) => value && setPair({ ...pair, sourceLanguage: value })}
        />
        <Tooltip label="Swap languages">
          <ActionIcon
            variant="default"
            size={36}
            aria-label="Swap languages"
            onClick={() => setPair({ sourceLanguage: pair.targetLanguage, targetLanguage: pair.sourceLanguage })}
          >
            <Icon name="swap" />
          </ActionIcon>
        </Tooltip>
        <LanguageSelect
          label="To"
          isRequired
          error={isSame && 'Choose another language'}
          value={pair.targetLanguage}
          onChange={(value) => value && setPair({ ...pair, targetLanguage: value })}
        />
      </Group>
      <InputText label="Text" value={text} onChange={setText} />
      <Group my="md">
        <Button loading={exchange.isRunning} disabled={text.trim() === '' || isSame} onClick={() => void translate()}>
          Translate
        </Button>
        {result && (
          <Text size="sm" c="dimmed">
            {count(result.words, 'word')}, {count(result.credits, 'credit')}
          </Text>
        )}
      </Group>
      <ExchangeNotices exchange={exchange} model={offer.uses.translation ?? ''} onRetry={() => void translate()} />
      <OutputText label="Translation" text={result?.text ?? ''} isRunning={exchange.isRunning} />
    </TabLayout>
  );
}
