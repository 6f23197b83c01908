import { Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Empty } from '../../components/empty.tsx';
import type { ChatMessage } from './chat-message.ts';
import { FunctionCall } from './function-call.tsx';
import css from './playground.module.css';

interface ConversationProps {
  readonly messages: readonly ChatMessage[];
  readonly isRunning: boolean;
  /** A function's result, given by hand. */
  readonly onResult: (message: ChatMessage) => void;
}

const names = { system: 'System', user: 'You', assistant: 'Assistant', function: 'Function result' } as const;

/** The messages, the newest in sight. It can be scrolled by keyboard, so it takes the focus. */
export function Conversation({ messages, isRunning, onResult }: ConversationProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollTo({ top: place.current.scrollHeight });
  }, [messages]);
  const isWaiting = isRunning && messages.at(-1)?.role !== 'assistant';
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={place} className={css.talk} role="log" aria-label="Conversation" aria-busy={isRunning} tabIndex={0}>
      {messages.length === 0 && (
        <Empty icon="playground" title="No messages yet">
          Send a message, or define functions in the parameters for the model to call.
        </Empty>
      )}
      {messages.map((message, index) => {
        const isLast = index === messages.length - 1;
        const call = message.role === 'assistant' ? message.function_call : undefined;
        return (
          // A conversation only grows, so a message's place names it.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className={[css.message, message.role === 'user' && css.user].filter(Boolean).join(' ')}>
            <Text size="xs" c="dimmed" fw={600}>
              {names[message.role]}
            </Text>
            {Boolean(message.content) && (
              <div className={css.text}>
                {message.content}
                {isLast && isRunning && message.role === 'assistant' && <span className={css.caret} />}
              </div>
            )}
            {call && <FunctionCall call={call} isOpen={isLast && !isRunning} onResult={onResult} />}
          </div>
        );
      })}
      {isWaiting && (
        <div className={css.message}>
          <span className={css.caret} />
        </div>
      )}
    </div>
  );
}
