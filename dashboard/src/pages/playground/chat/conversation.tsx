import { ActionIcon, Button, Group, Text, Textarea } from '@mantine/core';
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import { CopyButton } from '../../../components/elements/copy-button.tsx';
import { Icon, type IconName } from '../../../components/elements/icon.tsx';
import { Tip } from '../../../components/elements/tip.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { useStableCallback } from '../../../lib/hooks/use-stable-callback.ts';
import { Caret, PlainText } from '../tab/text.tsx';
import css from './chat.module.css';
import { FunctionCall, ResponseText, TalkLog } from './talk.tsx';
import type { ChatItem, ChatMessage, Items } from './thread.ts';

interface ConversationProps extends MessageHandlers {
  readonly label: string;
  readonly items: Items;
  readonly isPlain: boolean;
  readonly isRunning: boolean;
  /** While any call runs, also another thread's. */
  readonly isBusy: boolean;
}

/** The messages of a thread. */
export function Conversation({ label, items, isPlain, isRunning, isBusy, ...given }: ConversationProps) {
  const place = useRef<HTMLDivElement>(null);
  const handlers = useHandlers(given, () => place.current?.focus({ preventScroll: true }));
  const isWaiting = isRunning && items.at(-1)?.message.role !== 'assistant';
  return (
    <TalkLog ref={place} label={label} length={items.length} content={items} isRunning={isRunning}>
      {items.length === 0 && (
        <Empty icon="playground" title="No messages yet">
          Send a message, or define functions in the parameters for the model to call.
        </Empty>
      )}
      {items.map((item, index) => {
        const isLast = index === items.length - 1;
        return (
          <MessageView
            key={item.id}
            item={item}
            isPlain={isPlain}
            isStreaming={isLast && isRunning}
            isLast={isLast}
            isBusy={isBusy}
            handlers={handlers}
          />
        );
      })}
      {isWaiting && (
        <div className={css.message}>
          <Caret />
        </div>
      )}
    </TalkLog>
  );
}

/** What changes the messages takes the button away that had the focus, which goes to the conversation then. */
function useHandlers(given: MessageHandlers, focus: () => void): MessageHandlers {
  const onEdit = useStableCallback((id: string, content: string) => {
    focus();
    given.onEdit(id, content);
  });
  const onDelete = useStableCallback((id: string) => {
    focus();
    given.onDelete(id);
  });
  const onRegenerate = useStableCallback(() => {
    focus();
    given.onRegenerate();
  });
  const onResult = useStableCallback(given.onResult);
  return useMemo(() => ({ onEdit, onDelete, onRegenerate, onResult }), [onEdit, onDelete, onRegenerate, onResult]);
}

/** What can be done with the messages of a thread. The functions stay the same, so that a message is rendered once. */
interface MessageHandlers {
  readonly onEdit: (id: string, content: string) => void;
  readonly onDelete: (id: string) => void;
  readonly onRegenerate: () => void;
  /** A function's result, entered by the user. */
  readonly onResult: (message: ChatMessage) => void;
}

interface MessageViewProps {
  readonly item: ChatItem;
  readonly isPlain: boolean;
  readonly isStreaming: boolean;
  readonly isLast: boolean;
  /** While a call runs, nothing can be changed. */
  readonly isBusy: boolean;
  readonly handlers: MessageHandlers;
}

const names = { system: 'System', user: 'You', assistant: 'Assistant', function: 'Function result' } as const;

/** One message, with the reason why a generated one ended. */
const MessageView = memo(function MessageView(props: MessageViewProps) {
  const { item, isPlain, isStreaming, isLast, isBusy, handlers } = props;
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
          handlers.onEdit(item.id, content);
        }}
      />
    );
  return (
    <div className={[css.message, message.role === 'user' && css.byUser].filter(Boolean).join(' ')}>
      <Text size="xs" c="dimmed" className={css.by}>
        <strong>{names[message.role]}</strong>
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
        <FunctionCall
          call={call}
          isOpen={isLast && !isStreaming && finishReason !== undefined}
          onResult={handlers.onResult}
        />
      )}
      <MessageActions
        text={text === '' ? (call?.arguments ?? '') : text}
        isHidden={isBusy}
        onEdit={isGenerated ? undefined : () => setEditing('running')}
        hasEditFocus={editing === 'cancelled'}
        onRegenerate={isLast ? handlers.onRegenerate : undefined}
        onDelete={() => handlers.onDelete(item.id)}
      />
    </div>
  );
});

const ending = (finishReason: string | undefined): string =>
  finishReason === undefined ? 'interrupted' : `finish_reason: ${finishReason}`;

interface MessageEditorProps {
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** A message that is being edited. Enter sends, Shift and Enter begins a line, Escape cancels. */
function MessageEditor({ text: before, onSave, onCancel }: MessageEditorProps) {
  const [text, setText] = useState(before);
  const canSave = text.trim() !== '';
  const place = useRef<HTMLDivElement>(null);
  // The focus brings the field into sight, but not its label. What the call returns is no clean-up: a promise in new browsers.
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
        label="Edit message"
        description="Later messages are replaced by a new response"
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
          Cancel
        </Button>
        <Button size="compact-md" disabled={!canSave} onClick={() => onSave(text.trim())}>
          Send
        </Button>
      </Group>
    </div>
  );
}

interface MessageActionsProps {
  readonly text: string;
  /** Their place is kept, so that nothing moves when they come. */
  readonly isHidden: boolean;
  readonly onEdit: (() => void) | undefined;
  /** True where the focus returns from an editor that was cancelled. */
  readonly hasEditFocus: boolean;
  readonly onRegenerate: (() => void) | undefined;
  readonly onDelete: () => void;
}

/** What can be done with a message. */
function MessageActions(props: MessageActionsProps) {
  const { text, isHidden, onEdit, hasEditFocus, onRegenerate, onDelete } = props;
  return (
    <div className={css.actions} style={{ visibility: isHidden ? 'hidden' : undefined }}>
      <CopyButton value={text} what="message" />
      {onEdit && <Action icon="edit" label="Edit message" onClick={onEdit} hasFocus={hasEditFocus} />}
      {onRegenerate && <Action icon="regenerate" label="Regenerate" onClick={onRegenerate} />}
      <Action icon="trash" label="Delete message" onClick={onDelete} />
    </div>
  );
}

interface ActionProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly hasFocus?: boolean;
}

function Action({ icon, label, onClick, hasFocus = false }: ActionProps) {
  return (
    <Tip label={label}>
      <ActionIcon variant="subtle" color="gray" onClick={onClick} aria-label={label} autoFocus={hasFocus}>
        <Icon name={icon} size={16} />
      </ActionIcon>
    </Tip>
  );
}
