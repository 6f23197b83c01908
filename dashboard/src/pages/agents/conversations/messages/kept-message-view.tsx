import { Text } from '@mantine/core';
import { memo } from 'react';
import { prices } from '#contract/billing/prices.ts';
import { CopyButton } from '../../../../components/elements/copy-button.tsx';
import { creditCount, formatCredits, formatMoment } from '../../../../lib/format.ts';
import talk from '../../../playground/chat/chat.module.css';
import { FunctionCall } from '../../../playground/chat/talk.tsx';
import { ResponseText } from '../../../playground/chat/talk.tsx';
import { PlainText } from '../../../playground/tab/text.tsx';
import css from '../conversations.module.css';
import type { MessageRecord } from '../use-conversation.ts';
import { ContextLine } from './context-line.tsx';
import { Sources } from './sources.tsx';

interface KeptMessageViewProps {
  readonly message: MessageRecord;
  /** What the reply cost, where it came here; every reply that is kept costs as a chat does (docs/agents.md#a-turn). */
  readonly credits: number | undefined;
  /** True where the result of its function is expected. */
  readonly isAwaiting: boolean;
  readonly onResult: (name: string, content: string) => void;
}

const names = { user: 'You', assistant: 'Agent', function: 'Function result' } as const;

/** A message of a conversation; a reply with its sources and its context. */
export const KeptMessageView = memo(function KeptMessageView(props: KeptMessageViewProps) {
  const { message, credits = prices.chat.credits, isAwaiting, onResult } = props;
  const { role, content, function_call: call, sources = [], context, agentVersion, createdAt } = message;
  const isReply = role === 'assistant';
  return (
    <div className={[talk.message, role === 'user' && talk.byUser].filter(Boolean).join(' ')}>
      <Text size="xs" c="dimmed" className={talk.by} component="div">
        <strong>{names[role]}</strong>
        <span>{formatMoment(createdAt)}</span>
        {isReply && <span>{creditCount(credits, formatCredits)}</span>}
        {agentVersion !== undefined && <span>version {agentVersion}</span>}
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
      <div className={css.foot}>
        {context && <ContextLine context={context} />}
        {content !== '' && <CopyButton value={content} what="message" />}
      </div>
    </div>
  );
});
