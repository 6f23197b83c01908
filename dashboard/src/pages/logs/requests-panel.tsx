import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { creditRoutes } from '#contract/routes/credits.ts';
import { call } from '../../api/call.ts';
import { useNow } from '../../api/clock.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { PlaygroundLink } from '../../components/playground-link.tsx';
import { dayOf } from '../../lib/usage.ts';
import { FilterFields } from './filter-fields.tsx';
import type { RequestEntry } from './request.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import { RequestTable } from './request-table.tsx';
import { useFilters } from './use-filters.ts';

const pageSize = 25;
const firstPage: string | null = null;

/** The requests that match the filters, page by page, and the details of one. */
export function RequestsPanel() {
  const filters = useFilters(dayOf(useNow()));
  const { requested } = filters;
  const list = useInfiniteQuery({
    queryKey: [creditRoutes.listRequests.id, requested],
    queryFn: ({ pageParam, signal }) =>
      call(
        creditRoutes.listRequests,
        { query: { ...requested, limit: String(pageSize), ...(pageParam !== null && { cursor: pageParam }) } },
        { signal },
      ),
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
      <FilterFields value={filters} />
      {isPending && <Skeleton height={300} radius="md" />}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && requests.length === 0 && !hasNextPage && <NoRequests {...filters} />}
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

function NoRequests({ isFiltered, clear }: Pick<ReturnType<typeof useFilters>, 'isFiltered' | 'clear'>) {
  if (!isFiltered)
    return (
      <Empty icon="logs" title="No requests yet" action={<PlaygroundLink />}>
        Requests appear here seconds after their response.
      </Empty>
    );
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
