import type { ModalProps } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { orReload } from '../../lib/or-reload.ts';

const LateModal = lazy(orReload(() => import('./late-modal.tsx')));

/** A dialog whose code is loaded when it is first opened. */
export function Modal(props: ModalProps) {
  const [isUsed, setUsed] = useState(props.opened);
  if (props.opened && !isUsed) setUsed(true);
  return (
    isUsed && (
      <Suspense fallback={null}>
        <LateModal {...props} />
      </Suspense>
    )
  );
}
