import { Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { lateDialog } from '../../../components/overlays/late.tsx';
import { useQuery } from '../../../lib/hooks/use-query.ts';
import { useStableCallback } from '../../../lib/hooks/use-stable-callback.ts';
import type { CodeRequest } from '../code/code-request.ts';
import { preloadMarkdown } from '../markdown/lazy-markdown.tsx';
import { Inspector } from '../parts/inspector.tsx';
import { TabLayout } from '../parts/tab-layout.tsx';
import { ChatParameters } from './chat-parameters.tsx';
import { ChatToolbar } from './chat-toolbar.tsx';
import css from './chat.module.css';
import { Composer } from './composer.tsx';
import { PromptTokens } from './prompt-tokens.tsx';
import { chatBody } from './state/chat-body.ts';
import { newItem } from './state/chat-item.ts';
import { promptOf } from './state/thread.ts';
import { useChat } from './state/use-chat.ts';
import { ThreadView } from './thread-view.tsx';
import { UndoNotice } from './undo-notice.tsx';

const PresetsDialog = lateDialog(async () => (await import('../presets/presets-dialog.tsx')).PresetsDialog);

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
