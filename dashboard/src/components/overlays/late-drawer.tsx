import { Drawer, type DrawerProps } from '@mantine/core';
import { useOpening } from '../../lib/hooks/use-opening.ts';

export function LateDrawer(props: DrawerProps) {
  return <Drawer {...props} opened={useOpening(props.opened)} />;
}
