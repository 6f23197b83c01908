import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Group, Text, Textarea, Title } from '@mantine/core';
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import { CopyButton } from '../../../components/copy.tsx';
import { Icon, type IconName, Tip } from '../../../components/icon.tsx';
import { Empty } from '../../../components/page.tsx';
import { useStableCallback } from '../../../lib/hooks.ts';
import { ExchangeNotices, Metrics } from '../tab/tab-layout.tsx';
import { Caret, PlainText } from '../tab/text.tsx';
import css from './chat.module.css';
import { FunctionCall, ResponseText, TalkLog } from './talk.tsx';
import type { ChatItem, ChatMessage } from './thread.ts';
import type { Chat, Thread } from './use-chat.ts';

interface ThreadViewProps {
  readonly chat: Chat;
  readonly thread: Thread;
  readonly isCompared: boolean;
}

/** The conversation with one model. In a comparison, with the model's name and the metrics of its last call. */
export function ThreadView({ chat, thread, isCompared }: ThreadViewProps) {
  const { model, items, exchange, figures } = thread;
  const { isRunning } = exchange;
  const log = useRef<HTMLDivElement>(null);
  // A change removes the button that had the focus.
  const focusLog = (): void => log.current?.focus({ preventScroll: true });
  const onEdit = useStableCallback((id: string, content: string) => {
    focusLog();
    chat.edit(id, content);
  });
  const onDelete = useStableCallback((id: string) => {
    focusLog();
    chat.remove(id);
  });
  const onRegenerate = useStableCallback(() => {
    focusLog();
    chat.regenerate(thread);
  });
  const onResult = useStableCallback((message: ChatMessage) => chat.submitResult(thread, message));
  const hasPrompt = items.some(({ message }) => message.role !== 'assistant');
  const retry = hasPrompt && !chat.isRunning && !chat.isBlocked ? () => chat.retry(thread) : undefined;
  return (
    <div className={[css.thread, isCompared && css.compared].filter(Boolean).join(' ')}>
      {isCompared && (
        <Title order={3} className="mono">
          {model}
        </Title>
      )}
      <TalkLog
        ref={log}
        label={isCompared ? t`Conversation with ${model}` : t`Conversation`}
        length={items.length}
        content={items}
        isRunning={isRunning}
      >
        {items.length === 0 && (
          <Empty icon="playground" title={t`No messages yet`}>
            <Trans>Send a message, or define functions in the parameters for the model to call.</Trans>
          </Empty>
        )}
        {items.map((item, index) => {
          const isLast = index === items.length - 1;
          return (
            <MessageView
              key={item.id}
              item={item}
              isPlain={chat.draft.isPlain}
              isStreaming={isLast && isRunning}
              isLast={isLast}
              isBusy={chat.isRunning}
              onEdit={onEdit}
              onDelete={onDelete}
              onRegenerate={onRegenerate}
              onResult={onResult}
            />
          );
        })}
        {isRunning && items.at(-1)?.message.role !== 'assistant' && (
          <div className={css.message}>
            <Caret />
          </div>
        )}
      </TalkLog>
      <ExchangeNotices exchange={exchange} model={model} onRetry={retry} />
      {isCompared && <Metrics receipt={figures} hasFirstToken hasTokens />}
    </div>
  );
}

interface MessageViewProps {
  readonly item: ChatItem;
  readonly isPlain: boolean;
  readonly isStreaming: boolean;
  readonly isLast: boolean;
  /** While a call runs, messages cannot be changed. */
  readonly isBusy: boolean;
  readonly onEdit: (id: string, content: string) => void;
  readonly onDelete: (id: string) => void;
  readonly onRegenerate: () => void;
  readonly onResult: (message: ChatMessage) => void;
}

const names = {
  system: msg`System`,
  user: msg`You`,
  assistant: msg`Assistant`,
  function: msg`Function result`,
} as const;

const MessageView = memo(function MessageView(props: MessageViewProps) {
  const { item, isPlain, isStreaming, isLast, isBusy, onEdit, onDelete, onRegenerate, onResult } = props;
  const { message, finishReason } = item;
  const [editing, setEditing] = useState<'running' | 'cancelled'>();
  const isGenerated = message.role === 'assistant';
  const call = message.role === 'assistant' ? message.function_call : undefined;
  const text = message.content ?? '';
  if (editing === 'running' && !isBusy)
    return (
      <MessageEditor
        text={text}
        onCancel={() => setEditing('cancelled')}
        onSave={(content) => {
          setEditing(undefined);
          onEdit(item.id, content);
        }}
      />
    );
  return (
    <div className={[css.message, message.role === 'user' && css.byUser].filter(Boolean).join(' ')}>
      <Text size="xs" c="dimmed" className={css.by}>
        <strong>{i18n._(names[message.role])}</strong>
        {isGenerated && !isStreaming && <span>{ending(finishReason)}</span>}
      </Text>
      {text !== '' && (
        <div className={css.bubble}>
          {isGenerated ? (
            <ResponseText text={text} isPlain={isPlain} isStreaming={isStreaming} />
          ) : (
            <PlainText>{text}</PlainText>
          )}
        </div>
      )}
      {call && (
        <FunctionCall call={call} isOpen={isLast && !isStreaming && finishReason !== undefined} onResult={onResult} />
      )}
      <div className={css.actions} style={{ visibility: isBusy ? 'hidden' : undefined }}>
        <CopyButton value={text === '' ? (call?.arguments ?? '') : text} what={t`message`} />
        {!isGenerated && (
          <Action
            icon="edit"
            label={t`Edit message`}
            onClick={() => setEditing('running')}
            autoFocus={editing === 'cancelled'}
          />
        )}
        {isLast && <Action icon="regenerate" label={t`Regenerate`} onClick={onRegenerate} />}
        <Action icon="trash" label={t`Delete message`} onClick={() => onDelete(item.id)} />
      </div>
    </div>
  );
});

const ending = (finishReason: string | undefined): string =>
  finishReason === undefined ? t`interrupted` : `finish_reason: ${finishReason}`;

interface MessageEditorProps {
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** Edits a message. Enter sends, Shift+Enter inserts a line, Escape cancels. */
function MessageEditor({ text: before, onSave, onCancel }: MessageEditorProps) {
  const [text, setText] = useState(before);
  const canSave = text.trim() !== '';
  const place = useRef<HTMLDivElement>(null);
  // Focus scrolls to the field but not to its label. Braces, because scrollIntoView returns a promise in new browsers,
  // which is not a cleanup function.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') onCancel();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || !canSave) return;
    event.preventDefault();
    onSave(text.trim());
  }

  return (
    <div ref={place} className={css.editor}>
      <Textarea
        label={t`Edit message`}
        description={t`Later messages are replaced by a new response`}
        autosize
        autoFocus
        minRows={1}
        maxRows={10}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group gap="xs" justify="flex-end">
        <Button size="compact-md" variant="default" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button size="compact-md" disabled={!canSave} onClick={() => onSave(text.trim())}>
          <Trans>Send</Trans>
        </Button>
      </Group>
    </div>
  );
}

interface ActionProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly autoFocus?: boolean;
}

function Action({ icon, label, ...props }: ActionProps) {
  return (
    <Tip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...props}>
        <Icon name={icon} size={16} />
      </ActionIcon>
    </Tip>
  );
}
