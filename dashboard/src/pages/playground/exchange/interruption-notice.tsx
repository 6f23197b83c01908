import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Notice } from '../../../components/feedback/notice.tsx';
import { creditCount, formatCredits } from '../../../lib/format.ts';
import type { ExchangeState } from './use-exchange.ts';

interface InterruptionNoticeProps {
  readonly exchange: ExchangeState;
  readonly onRetry: (() => void) | undefined;
}

/** That a response was stopped or cut, with what it cost: what was delivered is charged (docs/credits.md#calls). */
export function InterruptionNotice({ exchange: { interruption, receipt }, onRetry }: InterruptionNoticeProps) {
  if (interruption === undefined) return null;
  const credits = receipt?.credits;
  return (
    <Notice
      tone="warning"
      actions={
        <>
          {onRetry && (
            <Anchor component="button" type="button" onClick={onRetry}>
              Retry
            </Anchor>
          )}
          {credits === undefined && interruption !== 'settling' && <Link href="/usage">View usage</Link>}
        </>
      }
    >
      {credits === undefined ? sentences[interruption] : `Interrupted. ${creditCount(credits, formatCredits)} charged.`}
    </Notice>
  );
}

const sentences = {
  'before-response': 'Interrupted before the response began.',
  settling: 'Interrupted. Checking the charge…',
  settled: 'Interrupted. The charge will appear in the credit history.',
} as const;
