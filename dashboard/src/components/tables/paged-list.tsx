import { Button, Group, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../feedback/error-notice.tsx';
import type { Pages } from './use-pages.ts';

interface PagedListProps<Row> {
  readonly pages: Pages<Row>;
  /** False where the page shows the same error elsewhere. */
  readonly isErrorShown?: boolean;
  /** What stands where there are no rows. */
  readonly empty: ReactNode;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** A list that is read page by page. */
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
          {isEmpty && <Text size="sm">No results yet.</Text>}
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        </Group>
      )}
    </>
  );
}

/** Reads a list again. */
export function RefreshButton({ pages }: { pages: Pages<unknown> }) {
  const { isRefetching, isFetchingNextPage, refetch } = pages;
  return (
    <Button variant="default" loading={isRefetching && !isFetchingNextPage} onClick={() => void refetch()}>
      Refresh
    </Button>
  );
}
