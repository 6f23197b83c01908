import { Button, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { InferInput, InferOutput } from 'valibot';
import { serviceNames } from '#contract/billing/prices.ts';
import { models } from '#contract/inference/models.ts';
import type { RequestList, RequestQuery } from '#contract/requests/request-list.ts';
import { useNow } from '../../api/clock.ts';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { keyTitle } from '../../api/keys/playground-keys.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { DetailsDrawer, useOpened } from '../../components/overlays/details-drawer.tsx';
import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { DetailsButton } from '../../components/tables/details-button.tsx';
import { PagedList, RefreshButton } from '../../components/tables/paged-list.tsx';
import { usePages } from '../../components/tables/use-pages.ts';
import { formatCredits, formatDuration, formatSecond } from '../../lib/format.ts';
import { useQuery, useQueryChoice } from '../../lib/hooks/use-query.ts';
import { serviceTitle } from '../../lib/names.ts';
import { dayOf } from '../../lib/usage.ts';
import { keyNameOf, RequestDetails, type RequestEntry, StatusBadge, tokensOf, whatFor } from './request.tsx';

export type ListRequests = (
  query: InferInput<typeof RequestQuery>,
  signal: AbortSignal,
) => Promise<InferOutput<typeof RequestList>>;

interface RequestsPanelProps {
  readonly queryKey: readonly unknown[];
  readonly list: ListRequests;
  /** Choices of the key filter. */
  readonly keys: readonly KeyRecord[];
  /** Shown if there are no requests and no filters. */
  readonly empty: ReactNode;
}

const pageSize = 25;

export function RequestsPanel({ queryKey, list, keys, empty }: RequestsPanelProps) {
  const filters = useFilters(dayOf(useNow()));
  const { requested } = filters;
  const pages = usePages({
    queryKey: [...queryKey, requested],
    read: (cursor, signal) => list({ ...requested, limit: String(pageSize), cursor }, signal),
    rowsOf: ({ requests }) => requests,
    keepsPrevious: true,
  });
  const { item, isOpen, open, close } = useOpened<RequestEntry>();
  return (
    <Panel title="Requests" aside={<RefreshButton pages={pages} />}>
      <FilterFields value={filters} keys={keys} />
      <PagedList pages={pages} empty={filters.isFiltered ? <NoMatch {...filters} /> : empty}>
        {(requests) => <RequestTable requests={requests} onOpen={open} />}
      </PagedList>
      <DetailsDrawer title="Request" size={440} item={item} isOpen={isOpen} onClose={close}>
        {(request) => <RequestDetails request={request} />}
      </DetailsDrawer>
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

const services = [
  { value: 'all', label: 'All services' },
  ...serviceNames.map((name) => ({ value: name, label: serviceTitle(name) })),
];

const filterGrid = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(8rem, 1fr))',
  gap: 12,
  marginBottom: 20,
};

interface FilterFieldsProps {
  readonly value: ReturnType<typeof useFilters>;
  readonly keys: readonly KeyRecord[];
}

function FilterFields({ value: { values, set }, keys }: FilterFieldsProps) {
  const named = [{ value: 'all', label: 'All keys' }, ...keys.map((key) => ({ value: key.id, label: keyTitle(key) }))];
  const known = named.some((key) => key.value === values.key);
  const fields = [
    { name: 'days', label: 'Days', data: choices.days },
    { name: 'status', label: 'Status', data: choices.status },
    { name: 'service', label: 'Service', data: services },
    { name: 'model', label: 'Model', data: choices.model },
    { name: 'key', label: 'Key', data: known ? named : [...named, { value: values.key, label: 'Deleted key' }] },
  ] as const;
  return (
    <div style={filterGrid}>
      {fields.map(({ name, label, data }) => (
        <NativeSelect
          key={name}
          label={label}
          data={data}
          value={values[name]}
          onChange={(event) => set[name](event.currentTarget.value)}
        />
      ))}
    </div>
  );
}

const dayMs = 86_400_000;
const all = 'all';

const statusChoices = [
  { value: all, label: 'All statuses' },
  { value: '2xx', label: '2xx: succeeded' },
  { value: '4xx', label: '4xx: client error' },
  { value: '400', label: '400: invalid request' },
  { value: '402', label: '402: insufficient credits' },
  { value: '403', label: '403: not permitted' },
  { value: '429', label: '429: rate limit' },
  { value: '5xx', label: '5xx: failed' },
] as const;

const choices = {
  days: [
    { value: '30', label: '30 days' },
    { value: '7', label: '7 days' },
    { value: '1', label: 'Today (UTC)' },
  ],
  status: statusChoices,
  model: [{ value: all, label: 'All models' }, ...models.map(({ id }) => ({ value: id, label: id }))],
} as const;

/** Filters in the URL's query: values of the fields, setters, and the query of the request. */
function useFilters(today: string) {
  const [query, change] = useQuery();
  const [days, setDays] = useQueryChoice('days', ['30', '7', '1']);
  const [status, setStatus] = useQueryChoice('status', [all, ...statusChoices.map(({ value }) => value)]);
  const [service, setService] = useQueryChoice('service', [all, ...serviceNames]);
  const [model, setModel] = useQueryChoice('model', [all, ...models.map(({ id }) => id)]);
  const key = query.get('key') ?? all;
  const setKey = (next: string | null) => change({ key: next === null || next === all ? undefined : next });

  const requested = {
    ...(days !== '30' && { from: dayOf(Date.parse(today) - (Number(days) - 1) * dayMs) }),
    ...(status !== all && { status }),
    ...(service !== all && { service }),
    ...(model !== all && { model }),
    ...(key !== all && { keyId: key }),
  };
  const clear = () =>
    change({ days: undefined, status: undefined, service: undefined, model: undefined, key: undefined });
  const values = { days, status, service, model, key };
  const set = { days: setDays, status: setStatus, service: setService, model: setModel, key: setKey };
  return { values, set, requested, isFiltered: Object.keys(requested).length > 0, clear };
}

interface RequestTableProps {
  readonly requests: readonly RequestEntry[];
  readonly onOpen: (request: RequestEntry) => void;
}

function RequestTable({ requests, onOpen }: RequestTableProps) {
  const columns: Column<RequestEntry>[] = [
    {
      title: 'Time',
      place: 'lead',
      cell: (request) => <DetailsButton onClick={() => onOpen(request)}>{formatSecond(request.at)}</DetailsButton>,
    },
    { title: 'Status', cell: (request) => <StatusBadge {...request} /> },
    { title: 'Service', place: 'wide', cell: whatFor },
    { title: 'Key', cell: keyNameOf },
    { title: 'Tokens', place: 'end', cell: tokensOf },
    { title: 'Latency', place: 'end', cell: ({ latencyMs }) => formatDuration(latencyMs) },
    { title: 'Credits', place: 'end', cell: ({ credits }) => formatCredits(credits) },
  ];
  return (
    <DataTable caption="Requests, newest first" columns={columns} rows={requests} idOf={({ requestId }) => requestId} />
  );
}
