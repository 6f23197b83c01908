import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { call } from '../../api/call.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { PagedList } from '../../components/tables/paged-list.tsx';
import { usePages } from '../../components/tables/use-pages.ts';
import { isTelling } from './entry-text.ts';
import { behindPollMs, LedgerTable } from './ledger-table.tsx';

const pageSize = 20;
/** Maximum reads for one page of the table: all entries of a read may be left out. */
const maxReads = 5;

/** Reads pages until one contains an entry to show. */
async function readPage(cursor: string | undefined, signal: AbortSignal) {
  const first = await call(creditRoutes.getCredits, { query: { limit: String(pageSize), cursor } }, { signal });
  let page = first;
  for (let reads = 1; reads < maxReads && page.nextCursor !== null && !page.entries.some(isTelling); reads++)
    page = await call(creditRoutes.getCredits, { query: { limit: '200', cursor: page.nextCursor } }, { signal });
  return { ...page, isBehind: first.isBehind };
}

/** Changes of the balance and of the subscription, newest first. */
export function LedgerPanel() {
  const pages = usePages({
    queryKey: [creditRoutes.getCredits.id, 'ledger'],
    read: readPage,
    rowsOf: ({ entries }) => entries.filter(isTelling),
    pollMs: (first) => (first?.isBehind ? behindPollMs : false),
  });
  return (
    <Panel title="Credit history">
      <PagedList pages={pages} empty={<Empty icon="usage" title="No data yet" />}>
        {(entries) => <LedgerTable entries={entries} />}
      </PagedList>
    </Panel>
  );
}
