import { Fragment } from 'react';
import css from './plans.module.css';

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
