import { Trans } from '@lingui/react/macro';
import { Button, Group, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import type { GenericSchema } from 'valibot';
import { call, type Input } from '../api/call.ts';
import type { Data, DataRoute } from '../api/response.ts';
import { ErrorNotice } from './notice.tsx';
import css from './tables.module.css';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** `end` aligns numbers. On a phone, `lead` becomes the heading of a row, and `corner` holds its menu. */
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

/**
 * A table that becomes a list of cards on a phone. Roles are explicit, because browsers drop those of restyled tables.
 */
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

/** A name entered by a user, truncated to one line. The tooltip shows the whole name. */
export function Name({ children }: { children: string }) {
  return (
    <Text inherit fw={600} truncate className={css.name} title={children} dir="auto">
      {children}
    </Text>
  );
}

interface PagesOptions<Page extends { readonly nextCursor: string | null }, Row> {
  /** Cache key of the list. */
  readonly queryKey: readonly unknown[];
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>;
  readonly rowsOf: (page: Page) => readonly Row[];
  /** Interval for reloading the list in ms, derived from its first page. */
  readonly pollMs?: (first: Page | undefined) => number | false;
  /** Shows the previous rows until those of a new key are loaded. */
  readonly keepsPrevious?: boolean;
  /** False while the list to read is unknown. */
  readonly isEnabled?: boolean;
}

export type Pages<Row> = ReturnType<typeof usePages<{ readonly nextCursor: string | null }, Row>>;

const firstPage: string | null = null;

/** Reads a list one page at a time. */
export function usePages<Page extends { readonly nextCursor: string | null }, Row>({
  queryKey,
  read,
  rowsOf,
  pollMs = () => false,
  keepsPrevious = false,
  isEnabled = true,
}: PagesOptions<Page, Row>) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam ?? undefined, signal),
    enabled: isEnabled,
    initialPageParam: firstPage,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }): readonly Row[] => pages.flatMap(rowsOf),
    refetchInterval: ({ state }) => pollMs(state.data?.pages[0]),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
}

/** A route whose query has a cursor and a limit. */
type ListRoute = DataRoute & { readonly output: GenericSchema<unknown, { readonly nextCursor: string | null }> };

interface RoutePagesOptions<R extends ListRoute, Row> extends Omit<PagesOptions<Data<R>, Row>, 'queryKey' | 'read'> {
  readonly route: R;
  /** Returns the input for a page. */
  readonly input: (page: { readonly cursor: string | undefined; readonly limit: string }) => Input<R>;
  readonly pageSize?: number;
}

/** Reads the list of a route one page at a time. */
export function useRoutePages<R extends ListRoute, Row>(options: RoutePagesOptions<R, Row>) {
  const { route, input, pageSize = 25, ...others } = options;
  const limit = String(pageSize);
  return usePages({
    ...others,
    queryKey: [route.id, input({ cursor: undefined, limit })],
    read: (cursor, signal) => call(route, input({ cursor, limit }), { signal }),
  });
}

interface PagedListProps<Row> {
  readonly pages: Pages<Row>;
  /** False if the page shows the same error elsewhere. */
  readonly isErrorShown?: boolean;
  /** Shown if the list has no rows. */
  readonly empty: ReactNode;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

export function PagedList<Row>({ pages, isErrorShown = true, empty, children }: PagedListProps<Row>) {
  const { data: rows, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = pages;
  const isEmpty = rows?.length === 0;
  return (
    <>
      {isPending && <Skeleton height={300} radius="md" />}
      {error && isErrorShown && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {isEmpty && !hasNextPage && empty}
      {rows && !isEmpty && children(rows)}
      {hasNextPage && (
        <Group justify="center" mt="md">
          {isEmpty && (
            <Text size="sm">
              <Trans>No results yet.</Trans>
            </Text>
          )}
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            <Trans>Load more</Trans>
          </Button>
        </Group>
      )}
    </>
  );
}

export function RefreshButton({ pages, onRefresh }: { pages: Pages<unknown>; onRefresh?: () => void }) {
  const { isRefetching, isFetchingNextPage, refetch } = pages;
  return (
    <Button
      variant="default"
      loading={isRefetching && !isFetchingNextPage}
      onClick={() => {
        onRefresh?.();
        void refetch();
      }}
    >
      <Trans>Refresh</Trans>
    </Button>
  );
}
