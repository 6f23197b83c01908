import { Button, Group, Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../feedback/error-notice.tsx';

interface PagedListProps<Page extends { readonly nextCursor: string | null }, Row> {
  /** Names what `read` reads. */
  readonly queryKey: readonly unknown[];
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>;
  readonly rowsOf: (page: Page) => readonly Row[];
  /** What stands where there are no rows. */
  readonly empty: ReactNode;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

const firstPage: string | null = null;

/** A list that is read page by page. */
export function PagedList<Page extends { readonly nextCursor: string | null }, Row>(props: PagedListProps<Page, Row>) {
  const { queryKey, read, rowsOf, empty, children } = props;
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam ?? undefined, signal),
    initialPageParam: firstPage,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const rows = data?.pages.flatMap(rowsOf) ?? [];
  return (
    <>
      {isPending && <Skeleton height={300} radius="md" />}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && rows.length === 0 && empty}
      {rows.length > 0 && children(rows)}
      {hasNextPage && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        </Group>
      )}
    </>
  );
}
