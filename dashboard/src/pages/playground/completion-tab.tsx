import { Button, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { routes } from '#contract/routes.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { OutputText } from './output-text.tsx';
import { Parameters } from './parameters.tsx';
import { defaultSampling, samplingBody } from './sampling.ts';
import { TabLayout } from './tab-layout.tsx';
import { useExchange } from './use-exchange.ts';

/** Text completion from a prompt. */
export function CompletionTab() {
  const exchange = useExchange();
  const [sampling, setSampling] = useState({ ...defaultSampling, model: 'svc-instruct' });
  const [prompt, setPrompt] = useState('Once upon a time, a river');
  const [text, setText] = useState('');

  async function complete(): Promise<void> {
    const body = { ...samplingBody(sampling), prompt };
    setText('');
    if (sampling.stream) {
      await exchange.stream(routes.createCompletion, { body }, (piece) => setText((before) => before + piece.text));
      return;
    }
    const completion = await exchange.call(routes.createCompletion, { body });
    setText(completion?.choices[0]?.text ?? '');
  }

  return (
    <TabLayout
      title="Completion"
      parameters={<Parameters value={sampling} onChange={setSampling} />}
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
      <OutputText label="Output" text={text} isRunning={exchange.isRunning} />
    </TabLayout>
  );
}
