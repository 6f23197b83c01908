import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
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

interface CopyableProps {
  readonly value: string;
  /** Names the value for screen readers. */
  readonly what: string;
}

/** An id with a button that copies it. */
export function Copyable({ value, what }: CopyableProps) {
  return (
    <Group component="span" gap={4} wrap="nowrap">
      <span className="mono">{value}</span>
      <CopyButton value={value} what={what} />
    </Group>
  );
}
