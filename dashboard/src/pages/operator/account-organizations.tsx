import { t } from '@lingui/core/macro';
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Panel } from '../../components/page.tsx';
import { type Column, DataTable } from '../../components/tables.tsx';
import { formatItems } from '../../lib/format.ts';
import { roleTitles } from '../../lib/roles.ts';
import { type Account, wordOf } from './words.ts';

type Listed = Account['organizations'][number];

interface OrganizationsPanelProps {
  readonly account: Account;
  readonly pathOf: (id: number) => string;
}

/** Shared organizations of the person. Each is suspended on its own page. */
export function OrganizationsPanel({ account: { organizations }, pathOf }: OrganizationsPanelProps) {
  const columns: Column<Listed>[] = [
    {
      title: t`Name`,
      place: 'lead',
      cell: ({ id, name }) => (
        <Anchor component={Link} href={pathOf(id)} inherit dir="auto">
          {name}
        </Anchor>
      ),
    },
    { title: t`Role`, cell: ({ role }) => roleTitles[role] },
    { title: t`Status`, cell: ({ status }) => wordOf(status) },
  ];
  return (
    <Panel title={t`Organizations`}>
      <DataTable caption={t`Organizations`} columns={columns} rows={organizations} idOf={({ id }) => String(id)} />
    </Panel>
  );
}

/** Says which organizations a suspension of the person leaves active. */
export function suspensionText({ email, organizations }: Account): string {
  const owned = organizations.filter(({ role, status }) => role === 'owner' && status === 'active');
  const names = formatItems(owned.map(({ name }) => name));
  return owned.length === 0
    ? t`API keys and sessions of ${email} stop working immediately, and sign-in is disabled until the account is resumed. Credits and data are kept.`
    : t`API keys and sessions of ${email} stop working immediately, and sign-in is disabled until the account is resumed. Credits and data are kept. Owned organizations stay active: ${names}. To suspend one too, open its page from the overview.`;
}
