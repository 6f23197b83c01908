import { Fragment } from 'react';
import type { InferOutput } from 'valibot';
import type { Proration } from '#contract/billing/subscriptions.ts';
import { formatDay, formatMoney, formatWhole } from '../../../lib/format.ts';
import type { Plan } from '../plan.ts';
import css from '../plans.module.css';

/** Lines of what a change comes to; the first is what is due now. */
export function DueList({ lines }: { lines: readonly (readonly [what: string, amount: string])[] }) {
  return (
    <dl className={css.due}>
      {lines.map(([what, amount], index) => (
        <Fragment key={what}>
          <dt className={index === 0 ? css.sum : undefined}>{what}</dt>
          <dd className={index === 0 ? css.sum : undefined}>{amount}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** What a change to a larger plan comes to. */
export function ProrationList({ plan, proration }: { plan: Plan; proration: InferOutput<typeof Proration> }) {
  const { amount, credits, to } = proration;
  return (
    <DueList
      lines={[
        ['Due now', formatMoney(amount)],
        ['Credits added immediately', `+${formatWhole(credits)}`],
        [`From ${formatDay(to)}, each month`, formatMoney(plan.price ?? 0)],
      ]}
    />
  );
}
