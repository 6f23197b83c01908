import { t } from '@lingui/core/macro';
import { Button, type DrawerProps, Group, type ModalProps, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { late } from '../lib/load.ts';
import { sharedValue } from '../lib/shared-value.ts';

/** A dialog whose code is loaded when it is first opened. */
export const Modal = late<ModalProps>(
  async () => (await import('./mantine-dialogs.tsx')).LateModal,
  ({ opened }) => opened,
);

/** A side panel whose code is loaded when it is first opened. */
export const Drawer = late<DrawerProps>(
  async () => (await import('./mantine-dialogs.tsx')).LateDrawer,
  ({ opened }) => opened,
);

/** Props of the dialogs that a page opens itself. */
export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface ConfirmOptions {
  readonly title: string;
  readonly text: ReactNode;
  /** Label of the confirming button. */
  readonly action: string;
  /** Label of the other button, if "Cancel" could be mistaken for the action. */
  readonly keep?: string;
  readonly onConfirm: () => void;
}

const confirmation = sharedValue<ConfirmOptions | undefined>(undefined);

/** Asks the user to confirm an irreversible action. */
export function confirm(options: ConfirmOptions): void {
  confirmation.set(options);
}

/** Shows the dialogs that `confirm` opens. */
export function Confirmations() {
  const options = confirmation.use();
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
          {options?.keep ?? t`Cancel`}
        </Button>
        <Button color="red.8" onClick={run}>
          {options?.action}
        </Button>
      </Group>
    </Modal>
  );
}
