import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge } from '@mantine/core';
import { Link } from 'wouter';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { Empty, Panel } from '../../components/page.tsx';
import { type Column, DataTable, PagedList, useRoutePages } from '../../components/tables.tsx';
import { formatStamp } from '../../lib/format.ts';
import { accountPath } from './account-overview.tsx';
import { type AuditEntry, changesOf } from './words.ts';

const { listAuditEvents } = operatorRoutes;

/** Actions on one account, or on all. */
export function AuditPanel({ accountId }: { accountId?: string }) {
  const pages = useRoutePages({
    route: listAuditEvents,
    input: (page) => ({ query: { accountId, ...page } }),
    pageSize: 20,
    rowsOf: ({ events }) => events,
  });
  return (
    <Panel title={t`Audit trail`}>
      <PagedList
        pages={pages}
        empty={
          <Empty icon="operator" title={t`No actions yet`}>
            <Trans>Operator actions are recorded here permanently.</Trans>
          </Empty>
        }
      >
        {(events) => <AuditTable events={events} hasAccounts={accountId === undefined} />}
      </PagedList>
    </Panel>
  );
}

const actions: Readonly<Record<AuditEntry['action'], { title: MessageDescriptor; color: string }>> = {
  suspend: { title: msg`Suspended`, color: 'red' },
  resume: { title: msg`Resumed`, color: 'pine' },
  suspend_key: { title: msg`Key suspended`, color: 'red' },
  assign_plan: { title: msg`Plan assigned`, color: 'gray' },
  grant_credits: { title: msg`Credits granted`, color: 'gray' },
  set_role: { title: msg`Role set`, color: 'yellow.8' },
  accept_terms: { title: msg`Terms accepted`, color: 'gray' },
  store_content: { title: msg`Storage of prompts`, color: 'gray' },
  read_content: { title: msg`Prompt read`, color: 'gray' },
  require_second_factor: { title: msg`Two-step sign-in rule`, color: 'gray' },
  clear_hold: { title: msg`Purchases unblocked`, color: 'gray' },
  unblock_mail: { title: msg`Emails unblocked`, color: 'gray' },
};

interface AuditTableProps {
  readonly events: readonly AuditEntry[];
  /** Whether to show the account of each event. */
  readonly hasAccounts: boolean;
}

function AuditTable({ events, hasAccounts }: AuditTableProps) {
  const account: Column<AuditEntry> = { title: t`Account`, place: 'wide', cell: (event) => named(event.account) };
  const columns: Column<AuditEntry>[] = [
    { title: t`Time`, place: 'lead', cell: ({ at }) => <span className="number">{formatStamp(at)}</span> },
    {
      title: t`Action`,
      cell: ({ action }) => <Badge color={actions[action].color}>{i18n._(actions[action].title)}</Badge>,
    },
    ...(hasAccounts ? [account] : []),
    { title: t`Change`, place: 'wide', cell: changesOf },
    { title: t`Reason`, place: 'wide', cell: ({ reason }) => <span dir="auto">{reason}</span> },
    { title: t({ message: 'By', comment: 'Who did the action' }), place: 'wide', cell: actorOf },
  ];
  return (
    <DataTable
      caption={t`Audit trail, newest first`}
      columns={columns}
      rows={events}
      idOf={({ requestId }) => requestId}
    />
  );
}

function actorOf({ action, account, by }: AuditEntry) {
  if (action === 'accept_terms') return named(account);
  if (action === 'require_second_factor') return t`Owner`;
  return by === null ? t`Command line` : named(by);
}

function named({ id, email }: AuditEntry['account']) {
  return (
    <Anchor component={Link} href={accountPath(id)} inherit>
      {email ?? t`Account ${id}`}
    </Anchor>
  );
}
