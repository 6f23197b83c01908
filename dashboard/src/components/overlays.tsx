import { t } from '@lingui/core/macro';
import { Button, type DrawerProps, Group, type ModalProps, Text } from '@mantine/core';
import {
  type ComponentPropsWithRef,
  type ReactElement,
  type ReactNode,
  type RefObject,
  Suspense,
  useRef,
  useState,
} from 'react';
import { sharedValue } from '../lib/hooks.ts';
import { late } from '../lib/load.ts';

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

export interface ConfirmOptions {
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

interface ButtonProps {
  readonly onClick: () => void;
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
  readonly 'aria-haspopup': 'menu';
  readonly 'aria-expanded': boolean;
}

/** A menu's button. The menu renders it again once its code has loaded. */
export type MenuButton = (props: Omit<ComponentPropsWithRef<'button'>, 'color' | 'style' | 'disabled'>) => ReactElement;

interface MenuState {
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
}

/** Props of a menu whose code is loaded late. */
export interface MenuProps<Button> extends MenuState {
  readonly button: Button;
}

interface LateMenuProps {
  readonly load: () => Promise<unknown>;
  /** Renders the button before the code has loaded. */
  readonly button: (props: ButtonProps) => ReactNode;
  /** Renders the menu with its button, which receives the focus. */
  readonly menu: (props: MenuState) => ReactNode;
}

/** A menu whose code is loaded when its button is first hovered, focused or pressed. */
export function LateMenu({ load, button, menu }: LateMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const [isUsed, setUsed] = useState(false);
  // Ignore a failed preload: opening the menu reports the error.
  const preload = () => void load().catch(() => undefined);
  function open(): void {
    setUsed(true);
    setOpen(true);
  }
  const early = button({
    onClick: open,
    onPointerEnter: preload,
    onFocus: preload,
    'aria-haspopup': 'menu',
    'aria-expanded': false,
  });
  return isUsed ? <Suspense fallback={early}>{menu({ isOpen, onChange: setOpen })}</Suspense> : early;
}

interface MenuTarget {
  /** Ref of the menu's button. */
  readonly ref: RefObject<HTMLButtonElement | null>;
  /** Wraps the action of an item that opens a dialog. */
  readonly opening: (open: () => void) => () => void;
}

/**
 * For a menu whose items open dialogs. Moves the focus to the menu's button first, because a dialog returns it to the
 * focused element, and the item disappears with the menu.
 */
export function useMenuTarget(): MenuTarget {
  const ref = useRef<HTMLButtonElement>(null);
  const opening = (open: () => void) => () => {
    ref.current?.focus();
    open();
  };
  return { ref, opening };
}
