import { Anchor, Textarea } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { InferInput } from 'valibot';
import type { ChatRequest } from '#contract/inference/requests.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useQuery } from '../../lib/use-query.ts';
import type { ChatItem, ChatMessage } from './chat-item.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { extendReply } from './extend-reply.ts';
import { FunctionsField } from './functions-field.tsx';
import { InterruptionNotice } from './interruption-notice.tsx';
import { Parameters } from './parameters.tsx';
import { parseFunctions } from './parse-functions.ts';
import { defaultSampling, samplingBody } from './sampling.ts';
import { TabLayout } from './tab-layout.tsx';
import { useChatDraft } from './use-chat-draft.ts';
import { useExchange } from './use-exchange.ts';

/** Tokens that a reply may have unless the request sets a maximum (docs/design/inference.md). */
const defaultMaxTokens = 1024;

export function ChatTab() {
  const exchange = useExchange();
  const [sampling, setSampling] = useState(defaultSampling);
  const [{ items, system, functions: functionsText }, change] = useChatDraft();
  const functions = parseFunctions(functionsText);

  /** Sends a conversation with one more message. */
  async function send(before: readonly ChatItem[], message: ChatMessage): Promise<void> {
    const sent = [...before, { message }];
    change({ items: sent });
    const body: InferInput<typeof ChatRequest> = {
      ...samplingBody(sampling),
      messages: [
        ...(system === '' ? [] : [{ role: 'system', content: system } satisfies ChatMessage]),
        ...sent.map((item) => item.message),
      ],
      ...(functions.list.length > 0 && { functions: functions.list, function_call: 'auto' }),
    };
    if (sampling.stream) {
      let reply: ChatItem | undefined;
      await exchange.stream(inferenceRoutes.createChatCompletion, { body }, (piece) => {
        reply = extendReply(reply, piece);
        change({ items: [...sent, reply] });
      });
      return;
    }
    const [choice] = (await exchange.call(inferenceRoutes.createChatCompletion, { body }))?.choices ?? [];
    if (choice) change({ items: [...sent, { message: choice.message, finishReason: choice.finish_reason }] });
  }

  /** Sends the last message again, without what came of its reply. */
  const last = items.findLastIndex(({ message }) => message.role !== 'assistant');
  const failed = items[last]?.message;
  const retry = failed && (() => void send(items.slice(0, last), failed));

  function clear(): void {
    exchange.reset();
    change({ items: [] });
  }

  const [query, changeQuery] = useQuery();
  const wantsNew = query.has('new');
  useEffect(() => {
    if (!wantsNew) return;
    if (exchange.isRunning) return exchange.stop();
    clear();
    changeQuery({ new: undefined });
    // What it calls is another function at each render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [wantsNew, exchange.isRunning]);

  const parameters = (
    <Parameters value={sampling} onChange={setSampling} defaultMaxTokens={defaultMaxTokens}>
      <Textarea
        label="System message"
        autosize
        minRows={2}
        maxRows={6}
        value={system}
        onChange={(event) => change({ system: event.currentTarget.value })}
      />
      <FunctionsField value={functionsText} error={functions.error} onChange={(text) => change({ functions: text })} />
    </Parameters>
  );

  return (
    <TabLayout title="Conversation" parameters={parameters} exchange={exchange}>
      <Conversation items={items} isRunning={exchange.isRunning} onResult={(message) => void send(items, message)} />
      {exchange.error && <ErrorNotice error={exchange.error} model={sampling.model} onRetry={retry} />}
      <InterruptionNotice exchange={exchange} onRetry={retry} />
      <Composer
        label="Your message"
        isRunning={exchange.isRunning}
        isBlocked={functions.error !== undefined}
        onSend={(content) => void send(items, { role: 'user', content })}
        onStop={exchange.stop}
      />
      {items.length > 0 && !exchange.isRunning && (
        <Anchor component="button" type="button" size="sm" mt="xs" onClick={clear}>
          New chat
        </Anchor>
      )}
    </TabLayout>
  );
}
