import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Drawer } from './drawer.tsx';

interface DetailsDrawerProps<Item> {
  readonly title: string;
  readonly size: number;
  /** Undefined until one is opened. */
  readonly item: Item | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: (item: Item) => ReactNode;
}

/** A panel at the side with the details of one row. */
export function DetailsDrawer<Item>({ title, size, item, isOpen, onClose, children }: DetailsDrawerProps<Item>) {
  return (
    <Drawer opened={isOpen} onClose={onClose} size={size} title={title}>
      {item !== undefined && children(item)}
    </Drawer>
  );
}

/** Which row's details are open. The row stays while its drawer closes. */
export function useOpened<Item>() {
  const [item, setItem] = useState<Item>();
  const [isOpen, { open, close }] = useDisclosure(false);
  return {
    item,
    isOpen,
    open: (opened: Item) => {
      setItem(() => opened);
      open();
    },
    close,
  };
}
