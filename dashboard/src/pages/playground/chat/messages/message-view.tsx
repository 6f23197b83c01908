import { Text } from '@mantine/core';
import { memo, useState } from 'react';
import { PlainText } from '../../parts/plain-text.tsx';
import type { ChatItem, ChatMessage } from '../state/chat-item.ts';
import { FunctionCall } from './function-call.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageEditor } from './message-editor.tsx';
import css from './messages.module.css';
import { ResponseText } from './response-text.tsx';

/** What can be done with the messages of a thread. The functions stay the same, so that a message is rendered once. */
export interface MessageHandlers {
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
export const MessageView = memo(function MessageView(props: MessageViewProps) {
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
