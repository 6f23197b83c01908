import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { InferOutput } from 'valibot';
import type { Credits } from '#contract/billing/credits.ts';
import { creditRoutes } from '#contract/routes/credits.ts';
import { call } from '../../api/call.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatCredits, formatMoment } from '../../lib/format.ts';
import { serviceTitle } from '../../lib/names.ts';

type Entry = InferOutput<typeof Credits>['entries'][number];

const pageSize = 20;
const colors: Readonly<Record<Entry['type'], string>> = {
  grant: 'pine',
  charge: 'gray',
  refund: 'pine',
  expiry: 'yellow.8',
  adjustment: 'gray',
};

const columns: Column<Entry>[] = [
  { title: 'Date', place: 'lead', cell: ({ at }) => <span className="number">{formatMoment(at)}</span> },
  { title: 'Type', cell: ({ type }) => <Badge color={colors[type]}>{type}</Badge> },
  { title: 'Description', place: 'wide', cell: ({ service, model }) => whatFor(service, model) },
  { title: 'Request', cell: ({ requestId }) => requestId && <span className="mono">{requestId.slice(0, 13)}…</span> },
  {
    title: 'Credits',
    place: 'end',
    cell: ({ credits }) => (credits > 0 ? `+${formatCredits(credits)}` : signed(credits)),
  },
  { title: 'Balance', place: 'end', cell: ({ balance }) => formatCredits(balance) },
];

/** Every change of the balance, newest first. */
export function LedgerPanel() {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [creditRoutes.getCredits.id, 'ledger'],
    queryFn: ({ pageParam, signal }) =>
      call(
        creditRoutes.getCredits,
        { query: { limit: String(pageSize), ...(pageParam !== null && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: firstPage,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Panel
      title="Credit history"
      aside={
        <Text size="sm" c="dimmed">
          entries add up to your balance
        </Text>
      }
    >
      {isPending && <Skeleton height={300} radius="md" />}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && entries.length === 0 && <Empty icon="usage" title="No data yet" />}
      {entries.length > 0 && (
        <DataTable caption="Credit history, newest first" columns={columns} rows={entries} idOf={({ seq }) => seq} />
      )}
      {hasNextPage && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        </Group>
      )}
    </Panel>
  );
}

const firstPage: string | null = null;

const signed = (credits: number): string => (credits < 0 ? `−${formatCredits(-credits)}` : '0');

function whatFor(service: string | null, model: string | null) {
  if (service === null)
    return (
      <Text inherit component="span" c="dimmed">
        Plan
      </Text>
    );
  return model === null ? serviceTitle(service) : `${serviceTitle(service)}, ${model}`;
}
