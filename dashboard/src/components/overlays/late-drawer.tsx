import { Drawer, type DrawerProps } from '@mantine/core';
import { useOpening } from '../../lib/use-opening.ts';

export function LateDrawer(props: DrawerProps) {
  return <Drawer {...props} opened={useOpening(props.opened)} />;
}
