import type { ReactNode } from 'react';
import css from './details.module.css';

interface DetailsProps {
  /** Technical ones are in the code font, and a value takes as much room as it needs. */
  readonly isTechnical?: boolean;
  readonly children: ReactNode;
}

/** Titles and values in pairs, each a `Detail`. */
export function Details({ isTechnical = false, children }: DetailsProps) {
  return <dl className={isTechnical ? `${css.details} ${css.technical}` : css.details}>{children}</dl>;
}

export function Detail({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
