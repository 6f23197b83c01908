import { Button, Skeleton, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { conversationRoutes } from '#contract/routes/agents/conversations.ts';
import { toApiError } from '../../../api/http/api-error.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { formatMoment } from '../../../lib/format.ts';
import { useStableCallback } from '../../../lib/hooks/use-stable-callback.ts';
import { Composer } from '../../playground/chat/talk.tsx';
import { TalkLog } from '../../playground/chat/talk.tsx';
import { preloadMarkdown } from '../../playground/chat/talk.tsx';
import type { AgentRequest } from '../../playground/code/code-request.ts';
import { GetCodeButton } from '../../playground/code/get-code-button.tsx';
import type { AgentRecord } from '../agent.ts';
import css from './conversations.module.css';
import { FirstMessage } from './messages/first-message.tsx';
import { KeptMessageView } from './messages/kept-message-view.tsx';
import { PendingTurnView } from './messages/pending-turn-view.tsx';
import { TurnEnd } from './messages/turn-end.tsx';
import type { TurnMessage } from './turn.ts';
import { useConversation } from './use-conversation.ts';
import { useTurn } from './use-turn.ts';

interface ChatProps {
  readonly agent: AgentRecord;
  /** Undefined for a conversation that its first message begins. */
  readonly id: string | undefined;
  /** Begins it; gives its id. */
  readonly onBegin: () => Promise<string>;
  /** Called when the first message of one that was begun here has failed. */
  readonly onFailedBegin: (id: string) => Promise<void>;
}

/** A conversation with an agent: what is kept of it, the turn that runs, and the next message. */
export function Chat({ agent, id, onBegin, onFailedBegin }: ChatProps) {
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

  const target = id === undefined ? { begin: onBegin, onFailed: onFailedBegin } : { begin: () => Promise.resolve(id) };
  const start = useStableCallback((message: TurnMessage) => {
    log.current?.focus({ preventScroll: true });
    void send(target, message, kept);
  });
  const sendText = useStableCallback((content: string) => void send(target, { content }, kept));
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
        <Empty icon="playground" title="Conversation not found">
          It was deleted, or its retention period has ended.
        </Empty>
      </Panel>
    );
  return (
    <Panel
      title={state ? `Conversation of ${formatMoment(state.createdAt)}` : 'New conversation'}
      aside={id !== undefined && <GetCodeButton request={() => codeOf(agent, id, text)} />}
    >
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
        {!isReading && messages.length === 0 && !pending && !isBusy && <FirstMessage agent={agent} />}
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
            Generating a reply…
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
        placeholder="Message the agent…"
        text={text}
        onChange={setText}
        isRunning={isRunning}
        isBlocked={isBusy || awaitsResult || isReading}
        onSend={sendText}
        onStop={stopTurn}
      />
      {isBusy && !isRunning && (
        <Text size="xs" c="dimmed" mt="xs">
          This conversation is generating a reply. Wait for it, or start a new conversation.
        </Text>
      )}
      {awaitsResult && !isBusy && (
        <Text size="xs" c="dimmed" mt="xs">
          The agent is waiting for a function result. Submit it above.
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

/** The message that is written, or a greeting, for a program. */
const codeOf = (agent: AgentRecord, conversation: string, text: string): AgentRequest => ({
  kind: 'agent',
  path: conversationRoutes.createMessage.path.replace('{id}', agent.id).replace('{conversationId}', conversation),
  body: { content: text.trim() || 'Hello' },
  hasFunctions: agent.functions.length > 0,
});
