import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

interface ConfirmOptions {
  readonly title: string;
  readonly text: ReactNode;
  /** Label of the confirming button. */
  readonly action: string;
  readonly onConfirm: () => void;
}

/** Confirms something that cannot be undone. */
export function confirm({ title, text, action, onConfirm }: ConfirmOptions): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm: action, cancel: 'Cancel' },
    confirmProps: { color: 'red.8' },
    onConfirm,
  });
}
