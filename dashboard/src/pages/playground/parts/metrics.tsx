import type { ReactNode } from 'react';
import { formatCredits, formatDuration } from '../../../lib/format.ts';
import type { Receipt } from '../exchange/receipt.ts';
import css from './playground.module.css';

const milliseconds = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : formatDuration(ms);

/** Times, tokens and credits of a call, as far as they are known. */
export function Metrics({ receipt }: { receipt: Receipt | undefined }) {
  return (
    <dl className={css.receipt}>
      <Metric title="Time to first token">{milliseconds(receipt?.firstTokenMs)}</Metric>
      <Metric title="Total time">{milliseconds(receipt?.totalMs)}</Metric>
      <Metric title="Tokens (in + out)">
        {receipt?.tokens && `${receipt.tokens.prompt} + ${receipt.tokens.total - receipt.tokens.prompt}`}
      </Metric>
      <Metric title="Credits">{receipt?.credits !== undefined && formatCredits(receipt.credits)}</Metric>
    </dl>
  );
}

function Metric({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children || '–'}</dd>
    </div>
  );
}
