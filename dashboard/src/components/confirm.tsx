import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

interface Question {
  readonly title: string;
  readonly text: ReactNode;
  /** The words on the button that does it. */
  readonly action: string;
  readonly onConfirm: () => void;
}

/** Asks before something that cannot be undone. */
export function confirm({ title, text, action, onConfirm }: Question): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm: action, cancel: 'Keep it' },
    confirmProps: { color: 'red.8' },
    onConfirm,
  });
}
