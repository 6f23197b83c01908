import { Button, Skeleton, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { toApiError } from '../../../api/api-error.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { formatMoment } from '../../../lib/format.ts';
import { useStableCallback } from '../../../lib/use-stable-callback.ts';
import { Composer } from '../../playground/chat/composer.tsx';
import { TalkLog } from '../../playground/chat/messages/talk-log.tsx';
import { preloadMarkdown } from '../../playground/markdown/lazy-markdown.tsx';
import type { AgentRecord } from '../agent.ts';
import css from './conversations.module.css';
import { FirstMessage } from './first-message.tsx';
import { KeptMessageView } from './kept-message-view.tsx';
import { PendingTurnView } from './pending-turn-view.tsx';
import { TurnEnd } from './turn-end.tsx';
import type { TurnMessage } from './turn.ts';
import { useConversation } from './use-conversation.ts';
import { useTurn } from './use-turn.ts';

interface ChatProps {
  readonly agent: AgentRecord;
  /** Undefined for a conversation that its first message begins. */
  readonly id: string | undefined;
  /** Begins it; gives its id. */
  readonly onBegin: () => Promise<string>;
}

/** A conversation with an agent: what is kept of it, the turn that runs, and the next message. */
export function Chat({ agent, id, onBegin }: ChatProps) {
  const { pages, state, messages } = useConversation(agent.id, id);
  const { turn, isRunning, credits, send, stop } = useTurn(agent.id);
  const [text, setText] = useState('');
  const log = useRef<HTMLDivElement>(null);
  useEffect(preloadMarkdown, []);

  const kept = state?.messageCount ?? 0;
  const pending = turn && kept <= turn.before ? turn : undefined;
  const isBusy = isRunning || state?.status === 'running';
  const awaitsResult = state?.status === 'awaiting_function';
  const isReading = id !== undefined && pages.isPending && !turn;

  const start = useStableCallback((message: TurnMessage) => {
    log.current?.focus({ preventScroll: true });
    void send(() => (id === undefined ? onBegin() : Promise.resolve(id)), message, kept);
  });
  const sendText = useStableCallback((content: string) => {
    void send(() => (id === undefined ? onBegin() : Promise.resolve(id)), { content }, kept);
  });
  const stopTurn = useStableCallback(() => {
    log.current?.focus({ preventScroll: true });
    stop();
  });
  const submitResult = useStableCallback((name: string, content: string) =>
    start({ functionResults: [{ name, content }] }),
  );

  const isMissing = pages.error !== null && toApiError(pages.error).code === 'NOT_FOUND';
  if (isMissing)
    return (
      <Panel title="Not found">
        <Empty icon="playground" title="There is no such conversation">
          It was deleted, or its retention has ended.
        </Empty>
      </Panel>
    );
  return (
    <Panel title={state ? `Conversation of ${formatMoment(state.createdAt)}` : 'New conversation'}>
      {pages.error && <ErrorNotice error={pages.error} onRetry={() => void pages.refetch()} />}
      <TalkLog
        ref={log}
        label="Conversation"
        // A turn is two messages, also while it is on its way.
        length={messages.length + (pending ? 2 : 0)}
        content={[messages, pending]}
        isRunning={isBusy}
      >
        {isReading && <Skeleton height={120} radius="md" />}
        {pages.hasNextPage && (
          <Button
            variant="default"
            size="compact-md"
            className={css.earlier}
            loading={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            Load earlier messages
          </Button>
        )}
        {!isReading && messages.length === 0 && !pending && <FirstMessage agent={agent} />}
        {messages.map((message, index) => (
          <KeptMessageView
            key={message.id}
            message={message}
            credits={credits.get(message.id)}
            isAwaiting={awaitsResult && !isBusy && index === messages.length - 1}
            onResult={submitResult}
          />
        ))}
        {pending && <PendingTurnView turn={pending} isRunning={isBusy} />}
        {state?.status === 'running' && !pending && (
          <Text size="sm" c="dimmed" role="status">
            A reply is on its way…
          </Text>
        )}
      </TalkLog>
      {pending?.end && !isBusy && (
        <TurnEnd
          turn={pending}
          end={pending.end}
          model={agent.model}
          onRetry={() => start(pending.sent)}
          onEdit={setText}
        />
      )}
      <Composer
        label="Your message"
        text={text}
        onChange={setText}
        isRunning={isRunning}
        isBlocked={isBusy || awaitsResult || isReading}
        onSend={sendText}
        onStop={stopTurn}
      />
      {awaitsResult && !isBusy && (
        <Text size="xs" c="dimmed" mt="xs">
          The agent waits for the result of its function: submit it above.
        </Text>
      )}
      {state?.summary !== undefined && state.summary !== null && (
        <details className={css.summary}>
          <summary>Summary of earlier messages</summary>
          <p dir="auto">{state.summary}</p>
        </details>
      )}
    </Panel>
  );
}
