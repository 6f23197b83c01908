import { VisuallyHidden } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import css from './data-table.module.css';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the end; on a phone the lead is a row's heading, and the corner holds its menu. */
  readonly place?: 'end' | 'lead' | 'wide' | 'corner';
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string | number;
  /** Id of the row that the URL points to. The row is highlighted and scrolled into view. */
  readonly current?: string | null | undefined;
}

/** A table that becomes a list of cards on a phone. Roles are explicit, as browsers drop those of restyled tables. */
export function DataTable<Row>({ caption, columns, rows, idOf, current }: DataTableProps<Row>) {
  const marked = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    marked.current?.scrollIntoView({ block: 'center' });
  }, [current]);
  return (
    <table className={css.table} role="table" aria-label={caption}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, place }) => (
            <th key={title} role="columnheader" scope="col" className={place === 'end' ? css.end : undefined}>
              {place === 'corner' ? <VisuallyHidden>{title}</VisuallyHidden> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr
            key={idOf(row)}
            role="row"
            {...(idOf(row) === current && { ref: marked, 'aria-current': true, className: css.current })}
          >
            {columns.map(({ title, cell, place }) => (
              <td key={title} role="cell" data-label={title} className={place && css[place]}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
