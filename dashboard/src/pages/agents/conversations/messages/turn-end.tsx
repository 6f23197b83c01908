import { Anchor } from '@mantine/core';
import { prices } from '#contract/billing/prices.ts';
import { ErrorNotice } from '../../../../components/feedback/error-notice.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { creditCount } from '../../../../lib/format.ts';
import css from '../conversations.module.css';
import type { PendingTurn } from '../turn.ts';

interface TurnEndProps {
  readonly turn: PendingTurn;
  readonly end: NonNullable<PendingTurn['end']>;
  readonly model: string;
  readonly onRetry: () => void;
  /** Gets the message's text, to be changed. */
  readonly onEdit: (text: string) => void;
}

/** Why there is no reply, and what can be done about it. */
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
              Retry
            </Anchor>
          }
        >
          Stopped. This turn was not saved
          {isCharged && `. ${creditCount(prices.chat.credits)} charged because the reply had started`}.
        </Notice>
      )}
      {content !== undefined && (
        <Anchor component="button" type="button" size="sm" onClick={() => onEdit(content)}>
          Edit message
        </Anchor>
      )}
    </div>
  );
}
