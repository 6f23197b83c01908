import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Skeleton, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Turn } from '#contract/agents/conversations.ts';
import { conversationRoutes } from '#contract/routes/conversations.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { call, perform } from '../../api/call.ts';
import { withPlaygroundKey } from '../../api/keys.ts';
import { followUp } from '../../api/query-client.ts';
import { spendingReads } from '../../api/reads.ts';
import { toApiError } from '../../api/response.ts';
import { stream } from '../../api/stream.ts';
import { GetCodeButton } from '../../components/get-code-button.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Empty, Panel } from '../../components/page.tsx';
import { usePages } from '../../components/tables.tsx';
import type { AgentRequest } from '../../lib/code/code-request.ts';
import { formatMoment } from '../../lib/format.ts';
import { useStableCallback } from '../../lib/hooks.ts';
import { Composer, preloadMarkdown, TalkLog } from '../playground/chat/talk.tsx';
import { joinPieces, pieceBuffer } from '../playground/exchange/pieces.ts';
import {
  type AgentRecord,
  type MessageRecord,
  extendTurn,
  type PendingTurn,
  pendingTurn,
  readChunk,
  type TurnMessage,
} from './agent.ts';
import css from './agents.module.css';
import { FirstMessage, fixedReplyCredits, KeptMessageView, PendingTurnView, TurnEnd } from './messages.tsx';

interface ChatProps {
  readonly agent: AgentRecord;
  /** Undefined for a new conversation, which its first message creates. */
  readonly id: string | undefined;
  /** Creates the conversation and returns its id. */
  readonly onBegin: () => Promise<string>;
  /** Called if the first message of a new conversation failed. */
  readonly onFailedBegin: (id: string) => Promise<void>;
}

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
      <Panel title={t`Not found`}>
        <Empty icon="playground" title={t`Conversation not found`}>
          <Trans>It was deleted, or its retention period has ended.</Trans>
        </Empty>
      </Panel>
    );
  return (
    <Panel
      title={state ? t`Conversation of ${{ date: formatMoment(state.createdAt) }}` : t`New conversation`}
      aside={id !== undefined && <GetCodeButton request={() => codeOf(agent, id, text)} />}
    >
      {pages.error && <ErrorNotice error={pages.error} onRetry={() => void pages.refetch()} />}
      <TalkLog
        ref={log}
        label={t`Conversation`}
        // Counts the message and its reply, even while the reply is pending.
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
            <Trans>Load earlier messages</Trans>
          </Button>
        )}
        {!isReading && messages.length === 0 && !pending && !isBusy && <FirstMessage agent={agent} />}
        {messages.map((message, index) => (
          <KeptMessageView
            key={message.id}
            message={message}
            credits={credits.get(message.id) ?? fixedReplyCredits(agent.model)}
            isAwaiting={awaitsResult && !isBusy && index === messages.length - 1}
            onResult={submitResult}
          />
        ))}
        {pending && <PendingTurnView turn={pending} isRunning={isBusy} />}
        {state?.status === 'running' && !pending && (
          <Text size="sm" c="dimmed" role="status">
            <Trans>Generating a reply…</Trans>
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
        label={t`Your message`}
        placeholder={t`Message the agent…`}
        text={text}
        onChange={setText}
        isRunning={isRunning}
        isBlocked={isBusy || awaitsResult || isReading}
        onSend={sendText}
        onStop={stopTurn}
      />
      {isBusy && !isRunning && (
        <Text size="xs" c="dimmed" mt="xs">
          <Trans>This conversation is generating a reply. Wait for it, or start a new conversation.</Trans>
        </Text>
      )}
      {awaitsResult && !isBusy && (
        <Text size="xs" c="dimmed" mt="xs">
          <Trans>The agent is waiting for a function result. Submit it above.</Trans>
        </Text>
      )}
      {state?.summary !== undefined && state.summary !== null && (
        <details className={css.summary}>
          <summary>{t`Summary of earlier messages`}</summary>
          <p dir="auto">{state.summary}</p>
        </details>
      )}
    </Panel>
  );
}

/** Example request with the typed message. */
const codeOf = (agent: AgentRecord, conversation: string, text: string): AgentRequest => ({
  kind: 'agent',
  path: conversationRoutes.createMessage.path.replace('{id}', agent.id).replace('{conversationId}', conversation),
  body: { content: text.trim() || t({ message: 'Hello', comment: 'Message in sample code' }) },
  hasFunctions: agent.functions.length > 0,
});

const pageSize = 50;
/** Interval for reloading the conversation while a reply is being generated, in ms. */
const busyPollMs = 1000;

/** Reads the conversation page by page, newest messages first. Without an id it reads nothing. */
function useConversation(agent: string, conversation: string | undefined) {
  const path = { id: agent, conversationId: conversation ?? '' };
  const pages = usePages({
    queryKey: [conversationRoutes.getConversation.id, agent, conversation],
    isEnabled: conversation !== undefined,
    read: async (cursor, signal) => {
      const query = { limit: String(pageSize), cursor };
      const kept = await call(conversationRoutes.getConversation, { path, query }, { signal });
      return { ...kept, nextCursor: kept.messages.nextCursor };
    },
    rowsOf: (page) => [page],
    pollMs: (first) => first?.status === 'running' && busyPollMs,
  });
  const messages: readonly MessageRecord[] = (pages.data ?? [])
    .flatMap(({ messages: { items } }) => items)
    .toReversed();
  return { pages, state: pages.data?.[0], messages };
}

const turnReads = [conversationRoutes.getConversation, conversationRoutes.listConversations, ...spendingReads];

interface TurnTarget {
  readonly begin: () => Promise<string>;
  /** Called with the conversation id if the turn failed, but not if it was stopped. */
  readonly onFailed?: (id: string) => Promise<void>;
}

/** Runs one turn at a time. If the user leaves, the turn continues on the server and appears in the conversation. */
function useTurn(agent: string) {
  const client = useQueryClient();
  const [turn, setTurn] = useState<PendingTurn>();
  const [isRunning, setRunning] = useState(false);
  /** Credits charged in this tab, by message id. */
  const [credits, setCredits] = useState<ReadonlyMap<string, number>>(new Map());
  const control = useRef<AbortController>(undefined);
  const requestId = useRef<string>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  /** Resolves once the turn has ended and the conversation is reloaded. */
  async function send({ begin, onFailed }: TurnTarget, sent: TurnMessage, before: number): Promise<void> {
    const { signal } = (control.current = new AbortController());
    requestId.current = undefined;
    setTurn(pendingTurn(sent, before));
    setRunning(true);
    let id: string | undefined;
    try {
      id = await begin();
      // Nothing was sent yet, so leaving cancels the turn.
      if (!signal.aborted) await read(id, sent, signal);
    } catch (thrown) {
      const error = toApiError(thrown);
      followUp(error);
      setTurn((shown) => shown && { ...shown, end: signal.aborted ? { kind: 'stopped' } : { kind: 'failed', error } });
      if (id !== undefined && !signal.aborted) await onFailed?.(id);
    }
    await Promise.all(turnReads.map((route) => client.invalidateQueries({ queryKey: [route.id] })));
    setRunning(false);
  }

  async function read(conversationId: string, sent: TurnMessage, signal: AbortSignal): Promise<void> {
    const buffer = pieceBuffer((pieces) => setTurn((shown) => shown && extendTurn(shown, joinPieces(pieces))));
    try {
      const path = { id: agent, conversationId };
      const { headers, chunks } = await stream(
        conversationRoutes.createMessage,
        { path, body: { ...sent, stream: true } },
        { signal },
      );
      requestId.current = headers.get('x-request-id') ?? undefined;
      for await (const data of chunks) {
        const chunk = readChunk(data);
        if ('piece' in chunk) buffer.add(chunk.piece);
        else noteCredits(chunk.turn);
      }
    } finally {
      buffer.end();
    }
  }

  const noteCredits = ({ id, credits: charged }: Pick<Turn, 'id' | 'credits'>): void =>
    setCredits((known) => new Map([...known, [id, charged]]));

  /** Cancels the turn on the server too, so that none of it is stored. */
  function stop(): void {
    const { current: id } = requestId;
    control.current?.abort();
    if (id === undefined) return;
    const cancel = (key: string) => perform(inferenceRoutes.cancelRequest, { path: { requestId: id } }, { key });
    // Ignore the error if the turn has already ended.
    void withPlaygroundKey(cancel).catch(() => undefined);
  }

  return { turn, isRunning, credits, send, stop };
}
