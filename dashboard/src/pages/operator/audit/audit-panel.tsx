import { operatorRoutes } from '#contract/routes/operators.ts';
import { call } from '../../../api/call.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { PagedList } from '../../../components/tables/paged-list.tsx';
import { usePages } from '../../../components/tables/use-pages.ts';
import { AuditTable } from './audit-table.tsx';

const { listAuditEvents } = operatorRoutes;
const pageSize = 20;

/** What operators did, to one account or to all, newest first. */
export function AuditPanel({ accountId }: { accountId?: string }) {
  const pages = usePages({
    queryKey: [listAuditEvents.id, accountId],
    read: (cursor, signal) =>
      call(listAuditEvents, { query: { accountId, cursor, limit: String(pageSize) } }, { signal }),
    rowsOf: ({ events }) => events,
  });
  return (
    <Panel title="Audit trail">
      <PagedList
        pages={pages}
        empty={
          <Empty icon="operator" title="No actions yet">
            Operator actions are recorded here permanently.
          </Empty>
        }
      >
        {(events) => <AuditTable events={events} hasAccounts={accountId === undefined} />}
      </PagedList>
    </Panel>
  );
}
