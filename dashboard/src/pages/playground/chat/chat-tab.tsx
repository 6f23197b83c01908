import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, NativeSelect, Switch, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { memo, useEffect, useState } from 'react';
import * as v from 'valibot';
import { GetCodeButton } from '../../../components/get-code-button.tsx';
import { Icon } from '../../../components/icon.tsx';
import type { CodeRequest } from '../../../lib/code/code-request.ts';
import { useQuery, useStableCallback } from '../../../lib/hooks.ts';
import { lateDialog } from '../../../lib/load.ts';
import { withTexts } from '../../../lib/texts.ts';
import { FunctionsField, modelChoices, Parameters, parseFunctions } from '../tab/parameters.tsx';
import { modelId, type Sampling } from '../tab/sampling.ts';
import { Inspector, TabLayout } from '../tab/tab-layout.tsx';
import { defaultMaxTokens, PromptTokens } from '../tab/token-count.tsx';
import css from './chat.module.css';
import { ThreadView } from './conversation.tsx';
import { Composer, preloadMarkdown } from './talk.tsx';
import { newItem, promptOf } from './thread.ts';
import { type Chat, chatBody, useChat } from './use-chat.ts';

const PresetsDialog = lateDialog(
  withTexts('pages/playground/chat/presets-dialog', async () => (await import('./presets-dialog.tsx')).PresetsDialog),
);

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

  /** The next request. Without a typed message, the last one; in an empty conversation, an example. */
  function request(): CodeRequest {
    const typed = text.trim();
    const next = typed === '' ? promptOf(items) : [...items, newItem({ role: 'user', content: typed })];
    const shown = next.length > 0 ? next : [newItem({ role: 'user', content: t`Hello` })];
    return { kind: 'chat', body: chatBody(draft, shown) };
  }

  return (
    <TabLayout
      title={t`Conversation`}
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
        label={t`Your message`}
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
  /** The request to generate code for. */
  readonly request: () => CodeRequest;
}

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
        // Hidden rather than removed, so that the layout does not shift.
        style={{ visibility: hasMessages && !isRunning ? undefined : 'hidden' }}
        className={css.clear}
        onClick={chat.clear}
      >
        <Trans>New chat</Trans>
      </Button>
      <div className={css.toolbar}>
        <Switch
          size="xs"
          label={t`Compare`}
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
          <Trans>Presets</Trans>
        </Button>
        <GetCodeButton request={request} />
      </div>
    </>
  );
}

interface ChatParametersProps {
  readonly sampling: Sampling;
  readonly system: string;
  readonly functions: string;
  /** Set in a comparison. */
  readonly secondModel: string | undefined;
  readonly change: Chat['change'];
}

/** The parameters of a chat, shared by both models of a comparison. Memoized, so that messages do not render it. */
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
      capability="chat"
      defaultMaxTokens={defaultMaxTokens}
      secondModel={
        secondModel !== undefined && (
          <NativeSelect
            label={t`Compare with`}
            data={modelChoices('chat')}
            value={secondModel}
            onChange={(event) => compareWith(event.currentTarget.value)}
          />
        )
      }
    >
      <Textarea
        label={t`System message`}
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

/** The last change to the conversation, with an undo button, until the next message. */
function UndoNotice({ chat: { undoable, undo } }: { chat: Chat }) {
  return (
    <div role="status" className={css.undo}>
      {undoable && (
        <>
          <span>{undoable.change}</span>
          <Anchor component="button" type="button" inherit onClick={undo}>
            <Trans>Undo</Trans>
          </Anchor>
        </>
      )}
    </div>
  );
}
