import type { ReactNode } from 'react';
import { formatCredits, formatDuration } from '../../../lib/format.ts';
import type { Figures } from '../exchange/receipt.ts';
import css from './playground.module.css';

const milliseconds = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : formatDuration(ms);

/** What a call has beside its total time and its credits: not every one is streamed or counted in tokens. */
export interface Measured {
  readonly hasFirstToken?: boolean;
  readonly hasTokens?: boolean;
}

interface MetricsProps extends Measured {
  readonly receipt: Figures | undefined;
}

/** Times, tokens and credits of a call, as far as they are known. */
export function Metrics({ receipt, hasFirstToken = false, hasTokens = false }: MetricsProps) {
  return (
    <dl className={css.receipt}>
      {hasFirstToken && <Metric title="Time to first token">{milliseconds(receipt?.firstTokenMs)}</Metric>}
      <Metric title="Total time">{milliseconds(receipt?.totalMs)}</Metric>
      {hasTokens && (
        <Metric title="Tokens (in + out)">
          {receipt?.tokens && `${receipt.tokens.prompt} + ${receipt.tokens.total - receipt.tokens.prompt}`}
        </Metric>
      )}
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
