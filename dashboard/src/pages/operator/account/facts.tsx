import type { ReactNode } from 'react';
import css from './facts.module.css';

/** Titles and values in pairs. */
export function Facts({ facts }: { facts: readonly (readonly [title: string, value: ReactNode])[] }) {
  return (
    <dl className={css.facts}>
      {facts.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
