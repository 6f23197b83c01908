import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { Modal } from './modal.tsx';

interface ConfirmOptions {
  readonly title: string;
  readonly text: ReactNode;
  /** Label of the confirming button. */
  readonly action: string;
  /** Label of the other button, where "Cancel" could be taken for the action. */
  readonly keep?: string;
  readonly onConfirm: () => void;
}

let current: ConfirmOptions | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Confirms something that cannot be undone. */
export function confirm(options: ConfirmOptions): void {
  current = options;
  for (const listener of listeners) listener();
}

/** Where confirmations are shown: a new one opens. */
export function Confirmations() {
  const options = useSyncExternalStore(subscribe, () => current);
  const [closed, setClosed] = useState<ConfirmOptions>();
  const close = () => setClosed(options);

  function run(): void {
    close();
    options?.onConfirm();
  }

  return (
    <Modal opened={options !== undefined && options !== closed} onClose={close} title={options?.title}>
      <Text size="sm">{options?.text}</Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          {options?.keep ?? 'Cancel'}
        </Button>
        <Button color="red.8" onClick={run}>
          {options?.action}
        </Button>
      </Group>
    </Modal>
  );
}
