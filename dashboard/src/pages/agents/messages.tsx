import { i18n } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Progress, Text } from '@mantine/core';
import { memo, useId } from 'react';
import type { InferOutput } from 'valibot';
import { Link } from 'wouter';
import type { KeptMessage } from '#contract/agents/conversations.ts';
import { prices } from '#contract/billing/prices.ts';
import { findModel, priceAt } from '#contract/inference/models.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Empty } from '../../components/page.tsx';
import { creditCount, formatCredits, formatItems, formatMoment, formatWhole } from '../../lib/format.ts';
import { inCredits, rateLines } from '../../lib/model-prices.ts';
import talk from '../playground/chat/chat.module.css';
import { FunctionCall, ResponseText } from '../playground/chat/talk.tsx';
import { Caret, PlainText } from '../playground/tab/text.tsx';
import { type AgentRecord, agentPath, type MessageRecord, type PendingTurn } from './agent.ts';
import css from './agents.module.css';

interface KeptMessageViewProps {
  readonly message: MessageRecord;
  /** Credits charged, if known. Stored replies do not record them (docs/agents.md#a-turn). */
  readonly credits: number | undefined;
  /** Whether the model is waiting for the function's result. */
  readonly isAwaiting: boolean;
  readonly onResult: (name: string, content: string) => void;
}

const names = { user: msg`You`, assistant: msg`Agent`, function: msg`Function result` } as const;

export const KeptMessageView = memo(function KeptMessageView(props: KeptMessageViewProps) {
  const { message, credits, isAwaiting, onResult } = props;
  const { role, content, function_call: call, sources = [], context, agentVersion, createdAt } = message;
  const isReply = role === 'assistant';
  return (
    <div className={[talk.message, role === 'user' && talk.byUser].filter(Boolean).join(' ')}>
      <Text size="xs" c="dimmed" className={talk.by} component="div">
        <strong>{i18n._(names[role])}</strong>
        <span>{formatMoment(createdAt)}</span>
        {isReply && credits !== undefined && <span>{creditCount(credits, formatCredits)}</span>}
        {agentVersion !== undefined && <span>{t`version ${agentVersion}`}</span>}
      </Text>
      {content !== '' && (
        <div className={talk.bubble}>
          {isReply ? (
            <ResponseText text={content} isPlain={false} isStreaming={false} />
          ) : (
            <PlainText>{content}</PlainText>
          )}
        </div>
      )}
      {call && (
        <FunctionCall
          call={call}
          isOpen={isAwaiting}
          onResult={(result) => onResult(call.name, result.content ?? '')}
        />
      )}
      <Sources sources={sources} />
      <div className={css.details}>
        {context && <ContextLine context={context} />}
        {content !== '' && <CopyButton value={content} what={t`message`} />}
      </div>
    </div>
  );
});

type Source = NonNullable<InferOutput<typeof KeptMessage>['sources']>[number];

/** Passages sent to the model, best match first. The API does not return their text. */
function Sources({ sources }: { sources: readonly Source[] }) {
  const id = useId();
  if (sources.length === 0) return null;
  return (
    <section className={css.sources}>
      <span id={id}>{t`Passages sent to the model`}</span>
      <ul aria-labelledby={id}>
        {sources.map(({ documentId, name, start, end, score }) => (
          <li key={`${documentId}-${start}`}>
            <Icon name="docs" size={15} />
            <bdi className={css.document}>{name}</bdi>
            <span>
              <Trans>
                characters {{ first: formatWhole(start) }}–{{ last: formatWhole(end) }}
              </Trans>
            </span>
            <span>{t`score ${{ score: score.toFixed(2) }}`}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Context = NonNullable<InferOutput<typeof KeptMessage>['context']>;

function ContextLine({ context: { window, used, droppedMessages, summarized } }: { context: Context }) {
  return (
    <div className={css.context}>
      <Progress value={(used / Math.max(1, window)) * 100} size={4} className={css.bar} aria-label={t`Context used`} />
      <span>
        <Trans>
          {{ used: formatWhole(used) }} of {{ limit: formatWhole(window) }} tokens
        </Trans>
      </span>
      {droppedMessages > 0 && (
        <span>
          {summarized
            ? plural(droppedMessages, { one: '# earlier message summarized', other: '# earlier messages summarized' })
            : plural(droppedMessages, { one: '# earlier message left out', other: '# earlier messages left out' })}
        </span>
      )}
    </div>
  );
}

interface PendingTurnViewProps {
  readonly turn: PendingTurn;
  readonly isRunning: boolean;
}

/** The message in progress and the part of the reply received so far. */
export function PendingTurnView({ turn: { sent, text, call }, isRunning }: PendingTurnViewProps) {
  const result = sent.functionResults?.[0];
  return (
    <>
      <div className={result ? talk.message : `${talk.message} ${talk.byUser}`}>
        <Author>{i18n._(result ? names.function : names.user)}</Author>
        <div className={talk.bubble}>
          <PlainText>{result?.content ?? sent.content}</PlainText>
        </div>
      </div>
      {(isRunning || text !== '' || call) && (
        <div className={talk.message}>
          <Author>{isRunning ? i18n._(names.assistant) : t`Agent, interrupted`}</Author>
          {text === '' && !call && <Caret />}
          {text !== '' && <ResponseText text={text} isPlain={false} isStreaming={isRunning} />}
          {call && <FunctionCall call={call} isOpen={false} onResult={() => undefined} />}
        </div>
      )}
    </>
  );
}

const Author = ({ children }: { children: string }) => (
  <Text size="xs" c="dimmed" component="div">
    <strong>{children}</strong>
  </Text>
);

interface TurnEndProps {
  readonly turn: PendingTurn;
  readonly end: NonNullable<PendingTurn['end']>;
  readonly model: string;
  readonly onRetry: () => void;
  /** Puts the message back into the composer. */
  readonly onEdit: (text: string) => void;
}

export function TurnEnd({ turn: { sent, text, call }, end, model, onRetry, onEdit }: TurnEndProps) {
  const { content } = sent;
  const isCharged = text !== '' || call !== undefined;
  return (
    <div className={css.end}>
      {end.kind === 'failed' ? (
        <ErrorNotice error={end.error} model={model} onRetry={onRetry} />
      ) : (
        <Notice
          tone="warning"
          actions={
            <Anchor component="button" type="button" onClick={onRetry}>
              <Trans>Retry</Trans>
            </Anchor>
          }
        >
          {isCharged ? chargedText(model) : <Trans>Stopped. This turn was not saved.</Trans>}
        </Notice>
      )}
      {content !== undefined && (
        <Anchor component="button" type="button" size="sm" onClick={() => onEdit(content)}>
          <Trans>Edit message</Trans>
        </Anchor>
      )}
    </div>
  );
}

/** Credits of every reply at the service's price; undefined at the model's own price, which depends on its tokens. */
export function fixedReplyCredits(modelId: string): number | undefined {
  const model = findModel(modelId, 'chat');
  return model && priceAt(model) ? undefined : prices.chat.credits;
}

function chargedText(model: string): string {
  const fixed = fixedReplyCredits(model);
  return fixed === undefined
    ? t`Stopped. This turn was not saved. The delivered text was charged because the reply had started.`
    : t`Stopped. This turn was not saved. ${{ credits: creditCount(fixed) }} charged because the reply had started.`;
}

function replyPrice(modelId: string): string {
  const model = findModel(modelId, 'chat');
  const price = model && priceAt(model);
  return price
    ? t`Replies cost ${{ rates: formatItems(rateLines(inCredits(price))) }}.`
    : t`Each reply costs ${{ credits: creditCount(prices.chat.credits) }}.`;
}

export function FirstMessage({ agent }: { agent: AgentRecord }) {
  return (
    <Empty icon="playground" title={t`No messages yet`}>
      <Trans>Send a message.</Trans> {replyPrice(agent.model)}
      {agent.chunks === 0 && (
        <>
          {' '}
          <Trans>
            <Anchor component={Link} href={agentPath(agent.id, { tab: 'documents' })} inherit underline="always">
              Add a document
            </Anchor>{' '}
            for replies that cite their sources.
          </Trans>
        </>
      )}
    </Empty>
  );
}
