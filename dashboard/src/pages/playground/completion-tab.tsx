import { Button, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { InterruptionNotice } from './interruption-notice.tsx';
import { OutputText } from './output-text.tsx';
import { Parameters } from './parameters.tsx';
import { defaultSampling, samplingBody } from './sampling.ts';
import { TabLayout } from './tab-layout.tsx';
import { useExchange } from './use-exchange.ts';

/** Tokens of a completion unless the request sets a maximum (docs/design/inference.md). */
const defaultMaxTokens = 100;

/** Text completion from a prompt. */
export function CompletionTab() {
  const exchange = useExchange();
  const [sampling, setSampling] = useState({ ...defaultSampling, model: 'svc-instruct' });
  const [prompt, setPrompt] = useState('Once upon a time, a river');
  const [text, setText] = useState('');
  const [finishReason, setFinishReason] = useState<string>();

  async function complete(): Promise<void> {
    const body = { ...samplingBody(sampling), prompt };
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

  return (
    <TabLayout
      title="Completion"
      parameters={<Parameters value={sampling} onChange={setSampling} defaultMaxTokens={defaultMaxTokens} />}
      exchange={exchange}
    >
      <Textarea
        label="Prompt"
        autosize
        minRows={4}
        maxRows={14}
        value={prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
      />
      <Group my="md">
        {exchange.isRunning ? (
          <Button variant="default" leftSection={<Icon name="stop" size={16} />} onClick={exchange.stop}>
            Stop
          </Button>
        ) : (
          <Button disabled={prompt === ''} onClick={() => void complete()}>
            Generate
          </Button>
        )}
      </Group>
      {exchange.error && <ErrorNotice error={exchange.error} model={sampling.model} onRetry={() => void complete()} />}
      <InterruptionNotice exchange={exchange} onRetry={() => void complete()} />
      <OutputText label="Output" text={text} finishReason={finishReason} isRunning={exchange.isRunning} />
    </TabLayout>
  );
}
