import { Anchor, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { InferInput } from 'valibot';
import type { ChatRequest } from '#contract/inference/requests.ts';
import { routes } from '#contract/routes.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type ChatMessage, extended } from './chat-message.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { FunctionsField } from './functions-field.tsx';
import { Parameters } from './parameters.tsx';
import { parseFunctions } from './parse-functions.ts';
import { defaultSampling, samplingBody } from './sampling.ts';
import { TabLayout } from './tab-layout.tsx';
import { useExchange } from './use-exchange.ts';

export function ChatTab() {
  const exchange = useExchange();
  const [sampling, setSampling] = useState(defaultSampling);
  const [system, setSystem] = useState('');
  const [functionsText, setFunctionsText] = useState('');
  const [messages, setMessages] = useState<readonly ChatMessage[]>([]);
  const functions = parseFunctions(functionsText);

  /** Sends the conversation with one more message; a message whose reply failed can be sent again. */
  async function send(message: ChatMessage): Promise<void> {
    const sent = [...messages, message];
    setMessages(sent);
    const body: InferInput<typeof ChatRequest> = {
      ...samplingBody(sampling),
      messages: [...(system === '' ? [] : [{ role: 'system', content: system } satisfies ChatMessage]), ...sent],
      ...(functions.list.length > 0 && { functions: functions.list, function_call: 'auto' }),
    };
    if (sampling.stream) {
      let reply: ChatMessage | undefined;
      await exchange.stream(routes.createChatCompletion, { body }, (piece) => {
        reply = extended(reply, piece);
        setMessages([...sent, reply]);
      });
      return;
    }
    const completion = await exchange.call(routes.createChatCompletion, { body });
    const reply = completion?.choices[0]?.message;
    if (reply) setMessages([...sent, reply]);
  }

  const again = messages.at(-1);
  const retry =
    again && again.role !== 'assistant'
      ? () => {
          setMessages(messages.slice(0, -1));
          void send(again);
        }
      : undefined;

  const parameters = (
    <Parameters value={sampling} onChange={setSampling}>
      <Textarea
        label="System message"
        autosize
        minRows={2}
        maxRows={6}
        value={system}
        onChange={(event) => setSystem(event.currentTarget.value)}
      />
      <FunctionsField value={functionsText} error={functions.error} onChange={setFunctionsText} />
    </Parameters>
  );

  return (
    <TabLayout title="Conversation" parameters={parameters} exchange={exchange}>
      <Conversation messages={messages} isRunning={exchange.isRunning} onResult={(message) => void send(message)} />
      {exchange.error && <ErrorNotice error={exchange.error} model={sampling.model} onRetry={retry} />}
      <Composer
        label="Your message"
        isRunning={exchange.isRunning}
        isBlocked={functions.error !== undefined}
        onSend={(content) => void send({ role: 'user', content })}
        onStop={exchange.stop}
      />
      {messages.length > 0 && !exchange.isRunning && (
        <Anchor component="button" type="button" size="sm" mt="xs" onClick={() => setMessages([])}>
          New chat
        </Anchor>
      )}
    </TabLayout>
  );
}
