import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { useMemo, useState } from 'react';
import { findModel, firstModelFor } from '#contract/inference/models.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { GetCodeButton } from '../../components/get-code-button.tsx';
import { useExchange } from './exchange/use-exchange.ts';
import { Parameters } from './tab/parameters.tsx';
import { defaultSampling, isSendable, samplingBody } from './tab/sampling.ts';
import { ExchangeNotices, Inspector, InputText, OutputText, TabLayout } from './tab/tab-layout.tsx';
import { StopButton } from './tab/text.tsx';
import { TokenCount } from './tab/token-count.tsx';

/** Default maximum of tokens (docs/guides/completions.md). */
const defaultMaxTokens = 100;

const { translation } = offer.uses;
const firstModel =
  translation !== null && findModel(translation, 'completion') ? translation : firstModelFor('completion');

export function CompletionTab() {
  const exchange = useExchange();
  const [sampling, setSampling] = useState({
    ...defaultSampling,
    model: firstModel,
  });
  const [prompt, setPrompt] = useState(() => t`Once upon a time, a river`);
  const [text, setText] = useState('');
  const [finishReason, setFinishReason] = useState<string>();

  const body = { ...samplingBody(sampling), prompt };
  const texts = useMemo(() => [prompt], [prompt]);

  const canSend = prompt.trim() !== '' && isSendable(sampling);

  async function complete(): Promise<void> {
    setText('');
    setFinishReason(undefined);
    if (sampling.stream) {
      await exchange.stream(inferenceRoutes.createCompletion, { body }, (piece) => {
        setText((before) => before + piece.text);
        setFinishReason(piece.finishReason);
      });
      return;
    }
    const [choice] = (await exchange.call(inferenceRoutes.createCompletion, { body }))?.choices ?? [];
    setText(choice?.text ?? '');
    setFinishReason(choice?.finish_reason);
  }

  const retry = canSend ? () => void complete() : undefined;

  return (
    <TabLayout
      title={t`Completion`}
      actions={<GetCodeButton request={() => ({ kind: 'completion', body })} />}
      parameters={
        <Parameters
          value={sampling}
          onChange={setSampling}
          capability="completion"
          defaultMaxTokens={defaultMaxTokens}
        />
      }
      details={<Inspector exchange={exchange} hasFirstToken hasTokens />}
    >
      <InputText label={t`Prompt`} value={prompt} onChange={setPrompt} />
      <TokenCount texts={texts} call={{ service: 'completion', sampling, defaultMaxTokens }} />
      <Group my="md">
        {exchange.isRunning ? (
          <StopButton onClick={exchange.stop} />
        ) : (
          <Button disabled={!canSend} onClick={() => void complete()}>
            <Trans>Generate</Trans>
          </Button>
        )}
      </Group>
      <ExchangeNotices exchange={exchange} model={sampling.model} onRetry={retry} />
      <OutputText label={t`Output`} text={text} finishReason={finishReason} isRunning={exchange.isRunning} />
    </TabLayout>
  );
}
