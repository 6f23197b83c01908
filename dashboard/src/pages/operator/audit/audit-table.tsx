import { Anchor, Badge } from '@mantine/core';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../../components/tables/data-table.tsx';
import { formatStamp } from '../../../lib/format.ts';
import { accountPath } from '../account-path.ts';
import type { AuditEntry } from './audit-entry.ts';
import { changesOf } from './changes.ts';

const actions: Readonly<Record<AuditEntry['action'], { title: string; color: string }>> = {
  suspend: { title: 'Suspended', color: 'red' },
  resume: { title: 'Resumed', color: 'pine' },
  suspend_key: { title: 'Key suspended', color: 'red' },
  assign_plan: { title: 'Plan assigned', color: 'gray' },
  grant_credits: { title: 'Credits granted', color: 'gray' },
  set_role: { title: 'Role set', color: 'yellow.8' },
};

interface AuditTableProps {
  readonly events: readonly AuditEntry[];
  /** Names the account of each event. */
  readonly hasAccounts: boolean;
}

export function AuditTable({ events, hasAccounts }: AuditTableProps) {
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
    { title: 'By', place: 'wide', cell: ({ by }) => (by === null ? 'Command line' : named(by)) },
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

function named({ id, email }: AuditEntry['account']) {
  return (
    <Anchor component={Link} href={accountPath(id)} inherit>
      {email ?? `Account ${id}`}
    </Anchor>
  );
}
