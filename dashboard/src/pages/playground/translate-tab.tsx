import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { prices } from '#contract/billing/prices.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { GetCodeButton } from '../../components/get-code-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { creditCount } from '../../lib/format.ts';
import { useExchange } from './exchange/use-exchange.ts';
import { LanguageSelect } from './tab/language-select.tsx';
import { ExchangeNotices, Inspector, InputText, OutputText, TabLayout } from './tab/tab-layout.tsx';

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

  const { credits, unitSize } = prices.translation;
  const parameters = (
    <Stack>
      <Text size="sm" c="dimmed">
        {plural(credits, {
          one: `${credits} credit per ${unitSize} words, rounded up.`,
          other: `${credits} credits per ${unitSize} words, rounded up.`,
        })}
      </Text>
    </Stack>
  );

  return (
    <TabLayout
      title={t`Translation`}
      actions={<GetCodeButton request={() => ({ kind: 'translation', body: { text, ...pair } })} />}
      parameters={parameters}
      details={<Inspector exchange={exchange} />}
    >
      <Group align="flex-end" gap="sm" mb="md" wrap="wrap">
        <LanguageSelect
          label={t({ message: 'From', context: 'Language' })}
          isRequired
          value={pair.sourceLanguage}
          onChange={(value) => value && setPair({ ...pair, sourceLanguage: value })}
        />
        <Tooltip label={t`Swap languages`}>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t`Swap languages`}
            onClick={() => setPair({ sourceLanguage: pair.targetLanguage, targetLanguage: pair.sourceLanguage })}
          >
            <Icon name="swap" />
          </ActionIcon>
        </Tooltip>
        <LanguageSelect
          label={t({ message: 'To', context: 'Language' })}
          isRequired
          error={isSame && t`Choose another language`}
          value={pair.targetLanguage}
          onChange={(value) => value && setPair({ ...pair, targetLanguage: value })}
        />
      </Group>
      <InputText label={t`Text`} value={text} onChange={setText} />
      <Group my="md">
        <Button loading={exchange.isRunning} disabled={text.trim() === '' || isSame} onClick={() => void translate()}>
          <Trans>Translate</Trans>
        </Button>
        {result && (
          <Text size="sm" c="dimmed">
            {t`${plural(result.words, { one: '# word', other: '# words' })}, ${{ credits: creditCount(result.credits) }}`}
          </Text>
        )}
      </Group>
      <ExchangeNotices exchange={exchange} model={offer.uses.translation ?? ''} onRetry={() => void translate()} />
      <OutputText label={t`Translation`} text={result?.text ?? ''} isRunning={exchange.isRunning} />
    </TabLayout>
  );
}
