import type { ReactNode } from 'react';
import css from './tip.module.css';

/** Shows what a button does beside it, while it is pointed at or has the focus. The button's own label is for screen readers. */
export function Tip({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className={css.tip} data-label={label}>
      {children}
    </span>
  );
}
