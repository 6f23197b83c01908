import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useQuery, useQueryChoice } from '../../../lib/hooks/use-query.ts';
import { AuditPanel } from '../audit/audit-panel.tsx';
import { AccountKeys } from './account-keys.tsx';
import { AccountLedger } from './account-ledger.tsx';
import { AccountMails } from './account-mails.tsx';
import { AccountRequests } from './account-requests.tsx';
import type { Account } from './account.ts';
import { AccountOverview } from './overview/account-overview.tsx';

const tabs: readonly { id: string; title: string; content: (account: Account) => ReactNode }[] = [
  { id: 'overview', title: 'Overview', content: (account) => <AccountOverview account={account} /> },
  { id: 'ledger', title: 'Ledger', content: ({ id }) => <AccountLedger id={id} /> },
  { id: 'keys', title: 'Keys', content: (account) => <AccountKeys account={account} /> },
  { id: 'requests', title: 'Requests', content: ({ id }) => <AccountRequests id={id} /> },
  { id: 'mails', title: 'Emails', content: ({ id }) => <AccountMails id={id} /> },
  { id: 'audit', title: 'Audit trail', content: ({ id }) => <AuditPanel accountId={String(id)} /> },
];

/** A tab reads its data when it is opened. The filters of one are no other's, so they leave the URL with it. */
export function AccountTabs({ account }: { account: Account }) {
  const [tab] = useQueryChoice('tab', ['overview', 'ledger', 'keys', 'requests', 'mails', 'audit']);
  const [query, change] = useQuery();
  function open(next: string | null): void {
    const others = [...query.keys()].filter((name) => name !== 'account');
    const none = Object.fromEntries(others.map((name) => [name, undefined]));
    change({ ...none, tab: next === null || next === 'overview' ? undefined : next });
  }
  // On a phone the tab may be beyond the edge of the list.
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);

  return (
    <Tabs value={tab} onChange={open} keepMounted={false}>
      <Tabs.List ref={list} mb="lg" aria-label="About this account">
        {tabs.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, content }) => (
        <Tabs.Panel key={id} value={id}>
          {content(account)}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
