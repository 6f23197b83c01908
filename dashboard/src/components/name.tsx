import { Text } from '@mantine/core';
import css from './data-table.module.css';

/** What a person called something, in a cell, on one line; all of it where the pointer rests. */
export function Name({ children }: { children: string }) {
  return (
    <Text inherit fw={600} truncate className={css.name} title={children}>
      {children}
    </Text>
  );
}
