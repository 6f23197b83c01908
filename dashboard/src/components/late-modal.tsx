import { Modal, type ModalProps } from '@mantine/core';
import { useOpening } from '../lib/focus.ts';

export function LateModal(props: ModalProps) {
  return <Modal {...props} opened={useOpening(props.opened)} />;
}
