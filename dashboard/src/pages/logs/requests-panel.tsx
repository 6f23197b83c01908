import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { InferInput, InferOutput } from 'valibot';
import type { RequestList, RequestQuery } from '#contract/requests/request-list.ts';
import { useNow } from '../../api/clock.ts';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { DetailsDrawer, useOpened } from '../../components/overlays/details-drawer.tsx';
import { PagedList, RefreshButton } from '../../components/tables/paged-list.tsx';
import { usePages } from '../../components/tables/use-pages.ts';
import { dayOf } from '../../lib/usage.ts';
import { FilterFields } from './filter-fields.tsx';
import { RequestDetails } from './request-details.tsx';
import { RequestTable } from './request-table.tsx';
import type { RequestEntry } from './request.tsx';
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

/** The requests that match the filters, page by page, and the details of one. */
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
