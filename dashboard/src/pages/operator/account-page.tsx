import { Anchor, Badge, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import type { InferOutput } from 'valibot';
import { Link } from 'wouter';
import type { MailList } from '#contract/operators/operators.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import type { WebhookList } from '#contract/webhooks/webhooks.ts';
import { call } from '../../api/call.ts';
import { useData } from '../../api/reads.ts';
import { Copyable } from '../../components/details.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { type Column, DataTable, PagedList, usePages } from '../../components/tables.tsx';
import { formatCents, formatSecond, formatStamp } from '../../lib/format.ts';
import { useQuery, useQueryChoice } from '../../lib/hooks.ts';
import { planTitle } from '../../lib/offer.ts';
import { paymentTitle, type PaymentRecord, statusLabel } from '../../lib/payment-text.ts';
import { KeyTable } from '../keys/keys.tsx';
import { RequestsPanel } from '../logs.tsx';
import { behindPollMs, LedgerTable } from '../usage/ledger.tsx';
import { type Account, AccountOverview, listAccountKeys } from './account-overview.tsx';
import { ActionButtons, SuspendKey } from './actions.tsx';
import { AuditPanel } from './audit.tsx';

export function AccountPage({ id }: { id: string }) {
  const { data: account, error, refetch } = useData(operatorRoutes.getAccount, { path: { id } });
  return (
    <Page
      title={account?.email ?? `Account ${id}`}
      lead={account && <AccountLead account={account} />}
      actions={account && <ActionButtons account={account} />}
    >
      <Stack gap="lg">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!account && !error && <Skeleton height={320} radius="lg" />}
        {account && <AccountTabs account={account} />}
        <Anchor component={Link} href="/operator" size="sm">
          All accounts and actions
        </Anchor>
      </Stack>
    </Page>
  );
}

const colors = { active: 'pine', suspended: 'red', deleted: 'gray' } as const;

function AccountLead({ account: { id, status, plan, role } }: { account: Account }) {
  return (
    <Group component="span" gap="xs">
      <Badge component="span" color={colors[status]}>
        {status.slice(0, 1).toUpperCase() + status.slice(1)}
      </Badge>
      <Badge component="span" color="gray">
        {planTitle(plan)}
      </Badge>
      {role === 'operator' && (
        <Badge component="span" color="yellow.8">
          Operator
        </Badge>
      )}
      <Copyable value={String(id)} what="account ID" />
    </Group>
  );
}

const tabs: readonly { id: string; title: string; content: (account: Account) => ReactNode }[] = [
  { id: 'overview', title: 'Overview', content: (account) => <AccountOverview account={account} /> },
  { id: 'ledger', title: 'Ledger', content: ({ id }) => <AccountLedger id={id} /> },
  { id: 'keys', title: 'Keys', content: (account) => <AccountKeys account={account} /> },
  { id: 'requests', title: 'Requests', content: ({ id }) => <AccountRequests id={id} /> },
  { id: 'payments', title: 'Payments', content: ({ id }) => <AccountPayments id={id} /> },
  { id: 'webhooks', title: 'Webhooks', content: ({ id }) => <AccountWebhooks id={id} /> },
  { id: 'mails', title: 'Emails', content: ({ id }) => <AccountMails id={id} /> },
  { id: 'audit', title: 'Audit trail', content: ({ id }) => <AuditPanel accountId={String(id)} /> },
];

/** A tab reads its data when it is opened. Its filters leave the URL with it, since other tabs have other filters. */
function AccountTabs({ account }: { account: Account }) {
  const [tab] = useQueryChoice('tab', [
    'overview',
    'ledger',
    'keys',
    'requests',
    'payments',
    'webhooks',
    'mails',
    'audit',
  ]);
  const [query, change] = useQuery();
  function open(next: string | null): void {
    const others = [...query.keys()].filter((name) => name !== 'account');
    const none = Object.fromEntries(others.map((name) => [name, undefined]));
    change({ ...none, tab: next === null || next === 'overview' ? undefined : next });
  }
  // The selected tab may be outside the scrolled list on a phone.
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

function AccountKeys({ account }: { account: Account }) {
  const { data: keys, error, refetch } = useData(listAccountKeys, { path: { id: String(account.id) } });
  return (
    <Panel title="API keys">
      {error && !keys && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!keys && !error && <Skeleton height={180} radius="md" />}
      {keys?.length === 0 && <Empty icon="keys" title="No API keys yet" />}
      {keys && keys.length > 0 && (
        <KeyTable keys={keys} actions={(key) => <SuspendKey account={account} apiKey={key} />} />
      )}
    </Panel>
  );
}

const { listAccountEntries } = operatorRoutes;
const pageSize = 25;

function AccountLedger({ id }: { id: number }) {
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

const { listAccountRequests } = operatorRoutes;

function AccountRequests({ id }: { id: number }) {
  const path = { id: String(id) };
  const { data: keys = [] } = useData(listAccountKeys, { path });
  return (
    <RequestsPanel
      queryKey={[listAccountRequests.id, path]}
      list={(query, signal) => call(listAccountRequests, { path, query }, { signal })}
      keys={keys}
      empty={<Empty icon="logs" title="No requests in the last 30 days" />}
    />
  );
}

const { listAccountPayments, listAccountWebhooks } = operatorRoutes;

const paymentColumns: Column<PaymentRecord>[] = [
  {
    title: 'Created',
    place: 'lead',
    cell: ({ createdAt }) => <span className="number">{formatStamp(createdAt)}</span>,
  },
  { title: 'Payment', place: 'wide', cell: paymentTitle },
  {
    title: 'Status',
    cell: (payment) => {
      const { title, color } = statusLabel(payment);
      return <Badge color={color}>{title}</Badge>;
    },
  },
  { title: 'Amount', place: 'end', cell: ({ amount }) => formatCents(amount) },
  {
    title: 'Returned',
    place: 'end',
    cell: ({ refundedAmount }) => (refundedAmount > 0 ? formatCents(refundedAmount) : '–'),
  },
];

function AccountPayments({ id }: { id: number }) {
  const path = { id: String(id) };
  const pages = usePages({
    queryKey: [listAccountPayments.id, path],
    read: (cursor, signal) =>
      call(listAccountPayments, { path, query: { cursor, limit: String(pageSize) } }, { signal }),
    rowsOf: ({ items }) => items,
  });
  return (
    <Panel title="Payments">
      <PagedList pages={pages} empty={<Empty icon="billing" title="No payments yet" />}>
        {(payments) => (
          <DataTable
            caption="Payments, newest first"
            columns={paymentColumns}
            rows={payments}
            idOf={(payment) => payment.id}
          />
        )}
      </PagedList>
    </Panel>
  );
}

type Webhook = InferOutput<typeof WebhookList>['items'][number];

const webhookColumns: Column<Webhook>[] = [
  { title: 'URL', place: 'lead', cell: ({ url }) => <span style={{ overflowWrap: 'anywhere' }}>{url}</span> },
  {
    title: 'Status',
    cell: ({ status, disabledReason, failingSince }) => {
      if (status === 'disabled') return <Badge color="red">{`Disabled: ${disabledReason ?? 'requested'}`}</Badge>;
      return failingSince === null ? <Badge color="pine">Active</Badge> : <Badge color="yellow.8">Failing</Badge>;
    },
  },
  { title: 'Failing since', cell: ({ failingSince }) => (failingSince === null ? '–' : formatStamp(failingSince)) },
  { title: 'Created', cell: ({ createdAt }) => formatStamp(createdAt) },
];

function AccountWebhooks({ id }: { id: number }) {
  const { data, error, refetch } = useData(listAccountWebhooks, { path: { id: String(id) } });
  return (
    <Panel title="Webhooks">
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={180} radius="md" />}
      {data?.items.length === 0 && <Empty icon="webhooks" title="No webhooks yet" />}
      {data && data.items.length > 0 && (
        <DataTable caption="Webhooks" columns={webhookColumns} rows={data.items} idOf={(webhook) => webhook.id} />
      )}
    </Panel>
  );
}

type Mail = InferOutput<typeof MailList>['mails'][number];

const states: Readonly<Record<Mail['state'], { title: string; color: string }>> = {
  waiting: { title: 'Waiting', color: 'yellow.8' },
  sent: { title: 'Sent', color: 'pine' },
  rejected: { title: 'Rejected', color: 'red' },
  suppressed: { title: 'Blocked', color: 'red' },
  expired: { title: 'Expired', color: 'red' },
};
const causes = { bounce: 'bounced', complaint: 'was reported as spam' } as const;

const mailColumns: Column<Mail>[] = [
  { title: 'Created', place: 'lead', cell: ({ at }) => <span className="number">{formatSecond(at)}</span> },
  { title: 'Subject', place: 'wide', cell: ({ subject }) => subject },
  { title: 'Status', cell: ({ state }) => <Badge color={states[state].color}>{states[state].title}</Badge> },
  { title: 'Since', cell: ({ stateAt }) => (stateAt === null ? '–' : formatSecond(stateAt)) },
];

function AccountMails({ id }: { id: number }) {
  const { data, error, refetch } = useData(operatorRoutes.listAccountMails, { path: { id: String(id) } });
  return (
    <Panel title="Emails">
      <Stack gap="md">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton height={180} radius="md" />}
        {data?.suppression && (
          <Notice tone="warning">
            An email to this address {causes[data.suppression.reason]} on {formatStamp(data.suppression.at)}. No more
            emails are sent to this address.
          </Notice>
        )}
        {data?.mails.length === 0 && <Empty icon="mail" title="No emails in the last 30 days" />}
        {data && data.mails.length > 0 && (
          <>
            <DataTable
              caption="Emails, newest first"
              columns={mailColumns}
              rows={data.mails}
              idOf={({ at, subject }) => `${at} ${subject}`}
            />
            <Text size="sm" c="dimmed">
              The newest 20 from the last 30 days, without their text. Sent means that the email service accepted it.
            </Text>
          </>
        )}
      </Stack>
    </Panel>
  );
}
