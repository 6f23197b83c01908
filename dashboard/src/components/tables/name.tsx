import { Text } from '@mantine/core';
import css from './data-table.module.css';

/** A user-given name in a cell, on one line; the whole name is its tooltip. */
export function Name({ children }: { children: string }) {
  return (
    <Text inherit fw={600} truncate className={css.name} title={children} dir="auto">
      {children}
    </Text>
  );
}
