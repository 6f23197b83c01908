import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../../components/icon.tsx';
import css from './tab.module.css';

interface PlainTextProps {
  readonly isStreaming?: boolean;
  readonly children: ReactNode;
}

/** Text with its line breaks. */
export function PlainText({ isStreaming = false, children }: PlainTextProps) {
  return (
    <div className={css.text} dir="auto">
      {children}
      {isStreaming && <Caret />}
    </div>
  );
}

export const Caret = () => <span className={css.caret} />;

const maxCharacters = 20_000;
const maxNumbers = 6;

/** Indents JSON and shortens long vectors. Other text is truncated. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), shortenVector, 2);
  } catch {
    return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
  }
}

function shortenVector(_: string, value: unknown): unknown {
  if (!Array.isArray(value) || value.length <= maxNumbers || typeof value[0] !== 'number') return value;
  return [...value.slice(0, maxNumbers), `… ${value.length - maxNumbers} more`];
}

export function StopButton({ onClick }: { onClick: () => void }) {
  return (
    <Button variant="default" leftSection={<Icon name="stop" size={16} />} onClick={onClick}>
      <Trans>Stop</Trans>
    </Button>
  );
}
