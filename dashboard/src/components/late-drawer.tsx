import { Drawer, type DrawerProps } from '@mantine/core';
import { useOpening } from '../lib/focus.ts';

export function LateDrawer(props: DrawerProps) {
  return <Drawer {...props} opened={useOpening(props.opened)} />;
}
