import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import css from './panel.module.css';

interface PanelProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string | undefined;
}

/** A titled part of a page. */
export function Panel({ title, aside, children, className }: PanelProps) {
  const id = useId();
  return (
    <section className={[css.panel, className].filter(Boolean).join(' ')} aria-labelledby={id}>
      <div className={css.head}>
        <Title order={2} id={id}>
          {title}
        </Title>
        {aside}
      </div>
      {children}
    </section>
  );
}
