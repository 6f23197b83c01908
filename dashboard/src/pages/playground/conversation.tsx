import { useEffect, useRef } from 'react';
import { Empty } from '../../components/empty.tsx';
import type { ChatItem, ChatMessage } from './chat-item.ts';
import { MessageView } from './message-view.tsx';
import css from './playground.module.css';

interface ConversationProps {
  readonly items: readonly ChatItem[];
  readonly isRunning: boolean;
  /** A function's result, entered by the user. */
  readonly onResult: (message: ChatMessage) => void;
}

/** The messages, the newest in sight. It can be scrolled by keyboard, so it takes the focus. */
export function Conversation({ items, isRunning, onResult }: ConversationProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollTo({ top: place.current.scrollHeight });
  }, [items]);
  const isWaiting = isRunning && items.at(-1)?.message.role !== 'assistant';
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={place} className={css.talk} role="log" aria-label="Conversation" aria-busy={isRunning} tabIndex={0}>
      {items.length === 0 && (
        <Empty icon="playground" title="No messages yet">
          Send a message, or define functions in the parameters for the model to call.
        </Empty>
      )}
      {items.map((item, index) => {
        const isLast = index === items.length - 1;
        return (
          <MessageView
            // A conversation only grows, so a message's place names it.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            item={item}
            isStreaming={isLast && isRunning}
            isLast={isLast}
            onResult={onResult}
          />
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
