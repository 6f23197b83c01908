import type { DrawerProps } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { orReload } from '../../lib/or-reload.ts';

const LateDrawer = lazy(orReload(() => import('./late-drawer.tsx')));

/** A panel at the side whose code is loaded when it is first opened. */
export function Drawer(props: DrawerProps) {
  const [isUsed, setUsed] = useState(props.opened);
  if (props.opened && !isUsed) setUsed(true);
  return (
    isUsed && (
      <Suspense fallback={null}>
        <LateDrawer {...props} />
      </Suspense>
    )
  );
}
