import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { InferInput, InferOutput } from 'valibot';
import type { RequestList, RequestQuery } from '#contract/requests/request-list.ts';
import { useNow } from '../../api/clock.ts';
import type { KeyRecord } from '../../api/key-list.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { dayOf } from '../../lib/usage.ts';
import { FilterFields } from './filter-fields.tsx';
import type { RequestEntry } from './request.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import { RequestTable } from './request-table.tsx';
import { useFilters } from './use-filters.ts';

export type ListRequests = (
  query: InferInput<typeof RequestQuery>,
  signal: AbortSignal,
) => Promise<InferOutput<typeof RequestList>>;

interface RequestsPanelProps {
  /** Names what `list` reads. */
  readonly queryKey: readonly unknown[];
  /** Reads a page. */
  readonly list: ListRequests;
  /** Keys to filter by. */
  readonly keys: readonly KeyRecord[];
  /** What stands where there is no request at all. */
  readonly empty: ReactNode;
}

const pageSize = 25;
const firstPage: string | null = null;

/** The requests that match the filters, page by page, and the details of one. */
export function RequestsPanel({ queryKey, list: read, keys, empty }: RequestsPanelProps) {
  const filters = useFilters(dayOf(useNow()));
  const { requested } = filters;
  const list = useInfiniteQuery({
    queryKey: [...queryKey, requested],
    queryFn: ({ pageParam, signal }) =>
      read({ ...requested, limit: String(pageSize), ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: firstPage,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, isRefetching } = list;
  const requests = data?.pages.flatMap((page) => page.requests) ?? [];
  const [opened, setOpened] = useState<RequestEntry>();
  const [isOpen, drawer] = useDisclosure(false);

  function open(request: RequestEntry): void {
    setOpened(request);
    drawer.open();
  }

  return (
    <Panel
      title="Requests"
      aside={
        <Button variant="default" loading={isRefetching && !isFetchingNextPage} onClick={() => void refetch()}>
          Refresh
        </Button>
      }
    >
      <FilterFields value={filters} keys={keys} />
      {isPending && <Skeleton height={300} radius="md" />}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && requests.length === 0 && !hasNextPage && (filters.isFiltered ? <NoMatch {...filters} /> : empty)}
      {requests.length > 0 && <RequestTable requests={requests} onOpen={open} />}
      {hasNextPage && (
        <Group justify="center" mt="md">
          {requests.length === 0 && <Text size="sm">No match among the newest requests.</Text>}
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        </Group>
      )}
      <RequestDrawer request={opened} isOpen={isOpen} onClose={drawer.close} />
    </Panel>
  );
}

function NoMatch({ clear }: Pick<ReturnType<typeof useFilters>, 'clear'>) {
  return (
    <Empty
      icon="logs"
      title="No requests match these filters"
      action={
        <Button variant="default" onClick={clear}>
          Clear filters
        </Button>
      }
    />
  );
}
