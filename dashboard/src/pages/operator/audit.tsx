import { Anchor, Badge } from '@mantine/core';
import type { InferOutput } from 'valibot';
import { Link } from 'wouter';
import type { AuditPage } from '#contract/operators/operators.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { call } from '../../api/call.ts';
import { Empty, Panel } from '../../components/page.tsx';
import { type Column, DataTable, PagedList, usePages } from '../../components/tables.tsx';
import { formatCredits, formatStamp } from '../../lib/format.ts';
import { planTitle } from '../../lib/offer.ts';
import { accountPath } from './account-overview.tsx';

const { listAuditEvents } = operatorRoutes;
const pageSize = 20;

/** Actions on one account, or on all. */
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

const actions: Readonly<Record<AuditEntry['action'], { title: string; color: string }>> = {
  suspend: { title: 'Suspended', color: 'red' },
  resume: { title: 'Resumed', color: 'pine' },
  suspend_key: { title: 'Key suspended', color: 'red' },
  assign_plan: { title: 'Plan assigned', color: 'gray' },
  grant_credits: { title: 'Credits granted', color: 'gray' },
  set_role: { title: 'Role set', color: 'yellow.8' },
  accept_terms: { title: 'Terms accepted', color: 'gray' },
};

interface AuditTableProps {
  readonly events: readonly AuditEntry[];
  /** Whether to show the account of each event. */
  readonly hasAccounts: boolean;
}

function AuditTable({ events, hasAccounts }: AuditTableProps) {
  const account: Column<AuditEntry> = { title: 'Account', place: 'wide', cell: (event) => named(event.account) };
  const columns: Column<AuditEntry>[] = [
    { title: 'Time', place: 'lead', cell: ({ at }) => <span className="number">{formatStamp(at)}</span> },
    {
      title: 'Action',
      cell: ({ action }) => <Badge color={actions[action].color}>{actions[action].title}</Badge>,
    },
    ...(hasAccounts ? [account] : []),
    { title: 'Change', place: 'wide', cell: changesOf },
    { title: 'Reason', place: 'wide', cell: ({ reason }) => <span dir="auto">{reason}</span> },
    { title: 'By', place: 'wide', cell: actorOf },
  ];
  return (
    <DataTable
      caption="Audit trail, newest first"
      columns={columns}
      rows={events}
      idOf={({ requestId }) => requestId}
    />
  );
}

function actorOf({ action, account, by }: AuditEntry) {
  if (action === 'accept_terms') return named(account);
  return by === null ? 'Command line' : named(by);
}

function named({ id, email }: AuditEntry['account']) {
  return (
    <Anchor component={Link} href={accountPath(id)} inherit>
      {email ?? `Account ${id}`}
    </Anchor>
  );
}

type State = AuditEntry['before'];

const fieldsOf = ({ status, plan, subscription, credits, keyId = '', key, role, termsVersion }: State) => [
  ['Status', status],
  ['Plan', plan && planTitle(plan)],
  ['Subscription', subscription],
  ['Credits', credits === undefined ? undefined : formatCredits(credits)],
  [`Key ${keyId.slice(0, 8)}…`, key],
  ['Role', role],
  ['Version', termsVersion],
];

/** Describes the changed fields: "Status active → suspended". */
function changesOf({ before, after }: AuditEntry): string {
  const earlier = fieldsOf(before);
  const changed = fieldsOf(after).flatMap(([title, to], index) => {
    const from = earlier[index]?.[1];
    return from === to ? [] : [`${title} ${from ?? '–'} → ${to ?? '–'}`];
  });
  return changed.length > 0 ? changed.join(', ') : 'No changes';
}

type AuditEntry = InferOutput<typeof AuditPage>['events'][number];
