import type { DrawerProps } from '@mantine/core';
import { late } from './late.tsx';

/** A panel at the side whose code is loaded when it is first opened. */
export const Drawer = late<DrawerProps>(
  async () => (await import('./late-drawer.tsx')).LateDrawer,
  ({ opened }) => opened,
);
