import { Title } from '@mantine/core';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { InterruptionNotice } from '../exchange/interruption-notice.tsx';
import { Metrics } from '../parts/metrics.tsx';
import css from './chat.module.css';
import { Conversation } from './messages/conversation.tsx';
import type { Chat, Thread } from './state/use-chat.ts';

interface ThreadViewProps {
  readonly chat: Chat;
  readonly thread: Thread;
  readonly isCompared: boolean;
}

/** The conversation with one model; beside another one, with its model and the figures of its last call. */
export function ThreadView({ chat, thread, isCompared }: ThreadViewProps) {
  const { model, items, exchange, figures } = thread;
  const hasPrompt = items.some(({ message }) => message.role !== 'assistant');
  const retry = hasPrompt && !chat.isRunning && !chat.isBlocked ? () => chat.retry(thread) : undefined;
  return (
    <div className={[css.thread, isCompared && css.compared].filter(Boolean).join(' ')}>
      {isCompared && (
        <Title order={3} className="mono">
          {model}
        </Title>
      )}
      <Conversation
        label={isCompared ? `Conversation with ${model}` : 'Conversation'}
        items={items}
        isPlain={chat.draft.isPlain}
        isRunning={exchange.isRunning}
        isBusy={chat.isRunning}
        onEdit={chat.edit}
        onDelete={chat.remove}
        onRegenerate={() => chat.regenerate(thread)}
        onResult={(message) => chat.submitResult(thread, message)}
      />
      {exchange.error && <ErrorNotice error={exchange.error} model={model} onRetry={retry} />}
      <InterruptionNotice exchange={exchange} onRetry={retry} />
      {isCompared && <Metrics receipt={figures} hasFirstToken hasTokens />}
    </div>
  );
}
