import type { ModalProps } from '@mantine/core';
import { late } from './late.tsx';

/** A dialog whose code is loaded when it is first opened. */
export const Modal = late<ModalProps>(
  async () => (await import('./late-modal.tsx')).LateModal,
  ({ opened }) => opened,
);
