import type { Cell } from './document.ts';
import { InlineView } from './inline-view.tsx';
import css from './markdown.module.css';

interface TableViewProps {
  readonly header: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
}

/** It may be wider than its message, so it scrolls. */
export function TableView({ header, rows }: TableViewProps) {
  const placed = rows.map((cells, place) => ({ cells, place }));
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css.scroll} tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {withPlaces(header).map(({ cell, place }) => (
              <th key={place} scope="col" dir="auto" style={{ textAlign: cell.align }}>
                <InlineView content={cell.content} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {placed.map(({ cells, place: row }) => (
            <tr key={row}>
              {withPlaces(cells).map(({ cell, place }) => (
                <td key={place} dir="auto" style={{ textAlign: cell.align }}>
                  <InlineView content={cell.content} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const withPlaces = (cells: readonly Cell[]) => cells.map((cell, place) => ({ cell, place }));
