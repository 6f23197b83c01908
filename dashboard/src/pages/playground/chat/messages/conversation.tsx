import { useMemo, useRef } from 'react';
import { Empty } from '../../../../components/feedback/empty.tsx';
import { useStableCallback } from '../../../../lib/hooks/use-stable-callback.ts';
import { Caret } from '../../parts/plain-text.tsx';
import type { Items } from '../state/thread.ts';
import { type MessageHandlers, MessageView } from './message-view.tsx';
import css from './messages.module.css';
import { TalkLog } from './talk-log.tsx';

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
