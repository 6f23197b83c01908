import { Anchor, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { CopyButton } from './copy.tsx';
import css from './details.module.css';
import { Drawer } from './overlays.tsx';

interface DetailsProps {
  /** Uses the code font and makes the value's column as wide as its content. */
  readonly isTechnical?: boolean;
  readonly children: ReactNode;
}

export function Details({ isTechnical = false, children }: DetailsProps) {
  return <dl className={isTechnical ? `${css.details} ${css.technical}` : css.details}>{children}</dl>;
}

export function Detail({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface CopyableProps {
  readonly value: string;
  /** Names the value for screen readers. */
  readonly what: string;
}

export function Copyable({ value, what }: CopyableProps) {
  return (
    <Group component="span" gap={4} wrap="nowrap">
      <span className="mono">{value}</span>
      <CopyButton value={value} what={what} />
    </Group>
  );
}

interface DetailsDrawerProps<Item> {
  readonly title: string;
  readonly size: number;
  /** Undefined until a row is opened. */
  readonly item: Item | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: (item: Item) => ReactNode;
}

/** A drawer with the details of a row. */
export function DetailsDrawer<Item>({ title, size, item, isOpen, onClose, children }: DetailsDrawerProps<Item>) {
  return (
    <Drawer opened={isOpen} onClose={onClose} size={size} title={title}>
      {item !== undefined && children(item)}
    </Drawer>
  );
}

/** State of a details drawer. The row remains until the drawer has closed. */
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

interface DetailsButtonProps {
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** A cell's button that opens the details of its row. */
export function DetailsButton({ onClick, children }: DetailsButtonProps) {
  return (
    <Anchor component="button" type="button" inherit className="number" aria-haspopup="dialog" onClick={onClick}>
      {children}
    </Anchor>
  );
}
