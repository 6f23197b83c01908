import { useLayoutEffect, useMemo, useRef } from 'react';
import { Empty } from '../../../../components/feedback/empty.tsx';
import { useStableCallback } from '../../../../lib/use-stable-callback.ts';
import { Caret } from '../../parts/plain-text.tsx';
import type { Items } from '../state/thread.ts';
import { type MessageHandlers, MessageView } from './message-view.tsx';
import css from './messages.module.css';

interface ConversationProps extends MessageHandlers {
  readonly label: string;
  readonly items: Items;
  readonly isPlain: boolean;
  readonly isRunning: boolean;
  /** While any call runs, also another thread's. */
  readonly isBusy: boolean;
}

/** So near to the end one reads along. */
const nearEndPx = 48;

/** The messages, the newest in sight while one reads along. It can be scrolled by keyboard, so it takes the focus. */
export function Conversation({ label, items, isPlain, isRunning, isBusy, ...given }: ConversationProps) {
  const place = useRef<HTMLDivElement>(null);
  const handlers = useHandlers(given, () => place.current?.focus({ preventScroll: true }));
  const isAtEnd = useRef(true);
  /** How far it was last scrolled from here: less is the reader's doing, whose scroll event may be still to come. */
  const top = useRef(0);
  const { length } = items;
  // A message more is always shown; one that grows, where its end was in sight.
  useLayoutEffect(() => {
    isAtEnd.current = true;
    top.current = 0;
  }, [length]);
  useLayoutEffect(() => {
    const { current: log } = place;
    if (!log || !isAtEnd.current || log.scrollTop < top.current - nearEndPx) return;
    log.scrollTop = log.scrollHeight;
    top.current = log.scrollTop;
  }, [items]);
  const isWaiting = isRunning && items.at(-1)?.message.role !== 'assistant';
  return (
    <div
      ref={place}
      className={css.talk}
      role="log"
      aria-label={label}
      aria-busy={isRunning}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPx;
      }}
    >
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
    </div>
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
