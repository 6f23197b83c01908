import { Anchor, Button, Group, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { call } from '../../api/call.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { formatDuration, formatSecond } from '../../lib/format.ts';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { DeliveryBadge, type DeliveryRecord, resultOf, titleOf, type WebhookRecord } from './webhook.tsx';

const pageSize = 25;
const firstPage: string | null = null;

/** How often a list with pending deliveries is read again, in ms. */
const pendingPollMs = 3000;

/** What was sent to a webhook, and what came of it. */
export function DeliveriesPanel({ webhook }: { webhook: WebhookRecord }) {
  const list = useInfiniteQuery({
    queryKey: [webhookRoutes.listDeliveries.id, webhook.id],
    queryFn: ({ pageParam, signal }) =>
      call(
        webhookRoutes.listDeliveries,
        {
          path: { id: webhook.id },
          query: { limit: String(pageSize), ...(pageParam !== null && { cursor: pageParam }) },
        },
        { signal },
      ),
    initialPageParam: firstPage,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => {
      const isAny = state.data?.pages[0]?.items.some(({ status }) => status === 'pending');
      return isAny ? pendingPollMs : false;
    },
  });
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, isRefetching } = list;
  const deliveries = data?.pages.flatMap(({ items }) => items) ?? [];
  const [opened, setOpened] = useState<string>();
  const [isOpen, drawer] = useDisclosure(false);

  function open({ id }: DeliveryRecord): void {
    setOpened(id);
    drawer.open();
  }

  const columns: Column<DeliveryRecord>[] = [
    {
      title: 'Time',
      place: 'lead',
      cell: (delivery) => (
        <Anchor
          component="button"
          type="button"
          inherit
          className="number"
          aria-haspopup="dialog"
          onClick={() => open(delivery)}
        >
          {formatSecond(delivery.createdAt)}
        </Anchor>
      ),
    },
    { title: 'Event', cell: ({ type }) => <span className="mono">{type}</span> },
    { title: 'Status', cell: ({ status }) => <DeliveryBadge status={status} /> },
    { title: 'Response', place: 'wide', cell: resultOf },
    { title: 'Attempts', place: 'end', cell: ({ attempts }) => attempts },
    {
      title: 'Duration',
      place: 'end',
      cell: ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs)),
    },
  ];

  return (
    <Panel
      title={`Deliveries to ${titleOf(webhook)}`}
      aside={
        <Button variant="default" loading={isRefetching && !isFetchingNextPage} onClick={() => void refetch()}>
          Refresh
        </Button>
      }
    >
      {isPending && <Skeleton height={200} radius="md" />}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && deliveries.length === 0 && (
        <Empty icon="send" title="No deliveries yet">
          Send a test from the webhook’s menu; events appear here for 30 days.
        </Empty>
      )}
      {deliveries.length > 0 && (
        <DataTable caption="Deliveries, newest first" columns={columns} rows={deliveries} idOf={({ id }) => id} />
      )}
      {hasNextPage && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        </Group>
      )}
      <DeliveryDrawer
        webhook={webhook}
        delivery={deliveries.find(({ id }) => id === opened)}
        isOpen={isOpen}
        onClose={drawer.close}
      />
    </Panel>
  );
}
