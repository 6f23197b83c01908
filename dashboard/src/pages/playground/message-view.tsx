import { Text } from '@mantine/core';
import type { ChatItem, ChatMessage } from './chat-item.ts';
import { FunctionCall } from './function-call.tsx';
import css from './playground.module.css';

interface MessageViewProps {
  readonly item: ChatItem;
  readonly isStreaming: boolean;
  readonly isLast: boolean;
  readonly onResult: (message: ChatMessage) => void;
}

const names = { system: 'System', user: 'You', assistant: 'Assistant', function: 'Function result' } as const;

/** One message, with the reason why a generated one ended. */
export function MessageView({ item: { message, finishReason }, isStreaming, isLast, onResult }: MessageViewProps) {
  const isGenerated = message.role === 'assistant';
  const call = message.role === 'assistant' ? message.function_call : undefined;
  return (
    <div className={[css.message, message.role === 'user' && css.user].filter(Boolean).join(' ')}>
      <Text size="xs" c="dimmed" className={css.by}>
        <strong>{names[message.role]}</strong>
        {isGenerated && !isStreaming && <span>{ending(finishReason)}</span>}
      </Text>
      {Boolean(message.content) && (
        <div className={css.text} dir="auto">
          {message.content}
          {isStreaming && isGenerated && <span className={css.caret} />}
        </div>
      )}
      {call && (
        <FunctionCall call={call} isOpen={isLast && !isStreaming && finishReason !== undefined} onResult={onResult} />
      )}
    </div>
  );
}

const ending = (finishReason: string | undefined): string =>
  finishReason === undefined ? 'interrupted' : `finish_reason: ${finishReason}`;
