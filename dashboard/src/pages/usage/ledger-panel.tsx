import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { call } from '../../api/call.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { PagedList } from '../../components/tables/paged-list.tsx';
import { usePages } from '../../components/tables/use-pages.ts';
import { LedgerTable } from './ledger-table.tsx';

const pageSize = 20;

/** Every change of the balance, newest first. */
export function LedgerPanel() {
  const pages = usePages({
    queryKey: [creditRoutes.getCredits.id, 'ledger'],
    read: (cursor, signal) => call(creditRoutes.getCredits, { query: { limit: String(pageSize), cursor } }, { signal }),
    rowsOf: ({ entries }) => entries,
  });
  return (
    <Panel title="Credit history">
      <PagedList pages={pages} empty={<Empty icon="usage" title="No data yet" />}>
        {(entries) => <LedgerTable entries={entries} />}
      </PagedList>
    </Panel>
  );
}
