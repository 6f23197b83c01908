import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { useOpening } from '../lib/focus.ts';

/** Loaded when the first dialog opens (overlays.tsx). */
export function LateModal(props: ModalProps) {
  return <Modal {...props} opened={useOpening(props.opened)} />;
}

export function LateDrawer(props: DrawerProps) {
  return <Drawer {...props} opened={useOpening(props.opened)} />;
}
