import { operatorRoutes } from '#contract/routes/operators.ts';
import { call } from '../../../api/call.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { PagedList } from '../../../components/tables/paged-list.tsx';
import { usePages } from '../../../components/tables/use-pages.ts';
import { behindPollMs, LedgerTable } from '../../usage/ledger-table.tsx';

const { listAccountEntries } = operatorRoutes;
const pageSize = 25;

export function AccountLedger({ id }: { id: number }) {
  const path = { id: String(id) };
  const pages = usePages({
    queryKey: [listAccountEntries.id, path],
    read: (cursor, signal) =>
      call(listAccountEntries, { path, query: { cursor, limit: String(pageSize) } }, { signal }),
    rowsOf: ({ entries }) => entries,
    pollMs: (first) => (first?.isBehind ? behindPollMs : false),
  });
  return (
    <Panel title="Ledger">
      <PagedList pages={pages} empty={<Empty icon="usage" title="No entries yet" />}>
        {(entries) => <LedgerTable entries={entries} />}
      </PagedList>
    </Panel>
  );
}
