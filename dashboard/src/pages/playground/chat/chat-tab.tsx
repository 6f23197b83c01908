import { Anchor, Button, NativeSelect, Switch, Textarea, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { memo, useEffect, useState } from 'react';
import * as v from 'valibot';
import { Icon } from '../../../components/elements/icon.tsx';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { lateDialog } from '../../../components/overlays/late.tsx';
import { useQuery } from '../../../lib/hooks/use-query.ts';
import { useStableCallback } from '../../../lib/hooks/use-stable-callback.ts';
import type { CodeRequest } from '../code/code-request.ts';
import { GetCodeButton } from '../code/get-code-button.tsx';
import { Inspector, InterruptionNotice, Metrics } from '../tab/inspector.tsx';
import { FunctionsField, Parameters, modelChoices, parseFunctions } from '../tab/parameters.tsx';
import { type Sampling, modelId } from '../tab/sampling.ts';
import { TabLayout } from '../tab/tab-layout.tsx';
import css from './chat.module.css';
import { Conversation } from './conversation.tsx';
import { PromptTokens } from './prompt-tokens.tsx';
import { Composer, preloadMarkdown } from './talk.tsx';
import { newItem, promptOf } from './thread.ts';
import { type Chat, type Thread, chatBody, useChat } from './use-chat.ts';

const PresetsDialog = lateDialog(async () => (await import('./presets-dialog.tsx')).PresetsDialog);

export function ChatTab() {
  const chat = useChat();
  const { draft, change, threads, isRunning } = chat;
  const { items, system, functions, sampling, comparison } = draft;
  const [text, setText] = useState('');
  const [arePresetsOpen, presets] = useDisclosure(false);
  const isCompared = threads.length > 1;
  const isBegun = text !== '' || items.length > 0;
  useEffect(() => {
    if (isBegun) preloadMarkdown();
  }, [isBegun]);
  const send = useStableCallback(chat.send);
  const stop = useStableCallback(chat.stop);
  const clear = useStableCallback(chat.clear);

  const [query, changeQuery] = useQuery();
  const wantsNew = query.has('new');
  const leaveQuery = useStableCallback(() => changeQuery({ new: undefined }));
  useEffect(() => {
    if (!wantsNew) return;
    if (isRunning) return stop();
    clear();
    leaveQuery();
  }, [wantsNew, isRunning, stop, clear, leaveQuery]);

  /** The request that would be sent next; the last one where no message is begun, and an example where none was sent. */
  function request(): CodeRequest {
    const typed = text.trim();
    const next = typed === '' ? promptOf(items) : [...items, newItem({ role: 'user', content: typed })];
    const shown = next.length > 0 ? next : [newItem({ role: 'user', content: 'Hello' })];
    return { kind: 'chat', body: chatBody(draft, shown) };
  }

  return (
    <TabLayout
      title="Conversation"
      actions={<ChatToolbar chat={chat} onPresets={presets.open} request={request} />}
      parameters={
        <ChatParameters
          sampling={sampling}
          system={system}
          functions={functions}
          secondModel={comparison?.model}
          change={change}
        />
      }
      details={
        <div className={css.threads}>
          {threads.map(({ place, model, exchange, figures }) => (
            <Inspector
              key={place}
              exchange={exchange}
              model={isCompared ? model : undefined}
              kept={figures}
              hasFirstToken
              hasTokens
            />
          ))}
        </div>
      }
      isBroad={isCompared}
    >
      <div className={css.threads}>
        {threads.map((thread) => (
          <ThreadView key={thread.place} chat={chat} thread={thread} isCompared={isCompared} />
        ))}
      </div>
      <UndoNotice chat={chat} />
      <Composer
        label="Your message"
        text={text}
        onChange={setText}
        isRunning={isRunning}
        isBlocked={chat.isBlocked}
        onSend={send}
        onStop={stop}
      />
      <div className={css.foot}>
        <PromptTokens chat={chat} text={text} />
        <Switch
          size="xs"
          label="Markdown"
          checked={!draft.isPlain}
          onChange={(event) => change({ isPlain: !event.currentTarget.checked })}
        />
      </div>
      <PresetsDialog
        isOpen={arePresetsOpen}
        current={{ sampling, system, functions }}
        onLoad={change}
        onClose={presets.close}
      />
    </TabLayout>
  );
}

interface ChatToolbarProps {
  readonly chat: Chat;
  readonly onPresets: () => void;
  /** The request that code is wanted for. */
  readonly request: () => CodeRequest;
}

/** What concerns the whole conversation. */
function ChatToolbar({ chat, onPresets, request }: ChatToolbarProps) {
  const { draft, threads, isRunning } = chat;
  const hasMessages = threads.some(({ items }) => items.length > 0);
  return (
    <>
      <Button
        size="xs"
        px={10}
        variant="subtle"
        leftSection={<Icon name="plus" size={16} />}
        // Its place is kept, so that nothing moves when it comes.
        style={{ visibility: hasMessages && !isRunning ? undefined : 'hidden' }}
        className={css.clear}
        onClick={chat.clear}
      >
        New chat
      </Button>
      <div className={css.toolbar}>
        <Switch
          size="xs"
          label="Compare"
          checked={draft.comparison !== undefined}
          disabled={isRunning}
          onChange={(event) => chat.setComparing(event.currentTarget.checked)}
        />
        <Button
          size="xs"
          px={10}
          variant="default"
          leftSection={<Icon name="bookmark" size={16} />}
          onClick={onPresets}
        >
          Presets
        </Button>
        <GetCodeButton request={request} />
      </div>
    </>
  );
}

/** Tokens that a reply may have unless the request sets a maximum (docs/design/inference.md). */
const defaultMaxTokens = 1024;

interface ChatParametersProps {
  readonly sampling: Sampling;
  readonly system: string;
  readonly functions: string;
  /** Where two models are compared. */
  readonly secondModel: string | undefined;
  readonly change: Chat['change'];
}

/** The parameters of a chat, which both models share where two are compared. Rendered when they change, not with each message. */
const ChatParameters = memo(function ChatParameters(props: ChatParametersProps) {
  const { sampling, system, functions, secondModel, change } = props;

  function compareWith(model: string): void {
    if (!v.is(modelId, model)) return;
    change(({ comparison, ...draft }) => ({ ...draft, comparison: comparison && { ...comparison, model } }));
  }

  return (
    <Parameters
      value={sampling}
      onChange={(next) => change({ sampling: next })}
      defaultMaxTokens={defaultMaxTokens}
      secondModel={
        secondModel !== undefined && (
          <NativeSelect
            label="Compare with"
            data={modelChoices}
            value={secondModel}
            onChange={(event) => compareWith(event.currentTarget.value)}
          />
        )
      }
    >
      <Textarea
        label="System message"
        autosize
        minRows={2}
        maxRows={6}
        value={system}
        onChange={(event) => change({ system: event.currentTarget.value })}
      />
      <FunctionsField
        value={functions}
        error={parseFunctions(functions).error}
        onChange={(text) => change({ functions: text })}
      />
    </Parameters>
  );
});

interface ThreadViewProps {
  readonly chat: Chat;
  readonly thread: Thread;
  readonly isCompared: boolean;
}

/** The conversation with one model; beside another one, with its model and the figures of its last call. */
function ThreadView({ chat, thread, isCompared }: ThreadViewProps) {
  const { model, items, exchange, figures } = thread;
  const hasPrompt = items.some(({ message }) => message.role !== 'assistant');
  const retry = hasPrompt && !chat.isRunning && !chat.isBlocked ? () => chat.retry(thread) : undefined;
  return (
    <div className={[css.thread, isCompared && css.compared].filter(Boolean).join(' ')}>
      {isCompared && (
        <Title order={3} className="mono">
          {model}
        </Title>
      )}
      <Conversation
        label={isCompared ? `Conversation with ${model}` : 'Conversation'}
        items={items}
        isPlain={chat.draft.isPlain}
        isRunning={exchange.isRunning}
        isBusy={chat.isRunning}
        onEdit={chat.edit}
        onDelete={chat.remove}
        onRegenerate={() => chat.regenerate(thread)}
        onResult={(message) => chat.submitResult(thread, message)}
      />
      {exchange.error && <ErrorNotice error={exchange.error} model={model} onRetry={retry} />}
      <InterruptionNotice exchange={exchange} onRetry={retry} />
      {isCompared && <Metrics receipt={figures} hasFirstToken hasTokens />}
    </div>
  );
}

/** What was replaced last, until the next message. */
function UndoNotice({ chat: { undoable, undo } }: { chat: Chat }) {
  return (
    <div role="status" className={css.undo}>
      {undoable && (
        <>
          <span>{undoable.change}</span>
          <Anchor component="button" type="button" inherit onClick={undo}>
            Undo
          </Anchor>
        </>
      )}
    </div>
  );
}
