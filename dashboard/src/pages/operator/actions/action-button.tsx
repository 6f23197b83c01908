import { ActionIcon, Button, type ButtonProps, Modal, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../../components/elements/icon.tsx';

interface ActionButtonProps extends Omit<ButtonProps, 'children'> {
  readonly label: string;
  /** Shown in place of the label, where there is little room. */
  readonly icon?: IconName;
  readonly title: string;
  /** The form in the dialog. */
  readonly children: (onClose: () => void) => ReactNode;
}

/** A button whose dialog confirms the action. */
export function ActionButton({ label, icon, title, children, ...button }: ActionButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      {icon ? (
        <Tooltip label={label}>
          <ActionIcon variant="subtle" color="gray" size="lg" onClick={open} aria-haspopup="dialog" aria-label={label}>
            <Icon name={icon} />
          </ActionIcon>
        </Tooltip>
      ) : (
        <Button variant="default" onClick={open} aria-haspopup="dialog" {...button}>
          {label}
        </Button>
      )}
      <Modal opened={isOpen} onClose={close} title={title}>
        {children(close)}
      </Modal>
    </>
  );
}
