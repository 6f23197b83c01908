import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
import { type Column, DataTable, PagedList, useRoutePages } from '../../components/tables.tsx';
import { formatCents, formatSecond, formatStamp } from '../../lib/format.ts';
import { useQuery, useQueryChoice } from '../../lib/hooks.ts';
import { planTitle } from '../../lib/offer.ts';
import { paymentTitle, type PaymentRecord, statusLabel } from '../../lib/payment-text.ts';
import { KeyTable } from '../keys/keys.tsx';
import { RequestsPanel } from '../logs.tsx';
import { behindPollMs, LedgerTable } from '../usage/ledger.tsx';
import { AccountOverview, listAccountKeys } from './account-overview.tsx';
import { accountStates } from './accounts.tsx';
import { ActionButtons, SuspendKey } from './actions.tsx';
import { AuditPanel } from './audit.tsx';
import type { Account } from './words.ts';

export function AccountPage({ id }: { id: string }) {
  const { data: account, error, refetch } = useData(operatorRoutes.getAccount, { path: { id } });
  return (
    <Page
      title={account?.email ?? t`Account ${id}`}
      lead={account && <AccountLead account={account} />}
      actions={account && <ActionButtons account={account} />}
    >
      <Stack gap="lg">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!account && !error && <Skeleton height={320} radius="lg" />}
        {account && <AccountTabs account={account} />}
        <Anchor component={Link} href="/operator" size="sm">
          <Trans>All accounts and actions</Trans>
        </Anchor>
      </Stack>
    </Page>
  );
}

function AccountLead({ account: { id, status, plan, role } }: { account: Account }) {
  return (
    <Group component="span" gap="xs">
      <Badge component="span" color={accountStates[status].color}>
        {i18n._(accountStates[status].title)}
      </Badge>
      <Badge component="span" color="gray">
        {planTitle(plan)}
      </Badge>
      {role === 'operator' && (
        <Badge component="span" color="yellow.8">
          <Trans>Operator</Trans>
        </Badge>
      )}
      <Copyable value={String(id)} what={t`account ID`} />
    </Group>
  );
}

const tabs: readonly { id: string; title: MessageDescriptor; content: (account: Account) => ReactNode }[] = [
  { id: 'overview', title: msg`Overview`, content: (account) => <AccountOverview account={account} /> },
  { id: 'ledger', title: msg`Ledger`, content: ({ id }) => <AccountLedger id={id} /> },
  { id: 'keys', title: msg`Keys`, content: (account) => <AccountKeys account={account} /> },
  { id: 'requests', title: msg`Requests`, content: ({ id }) => <AccountRequests id={id} /> },
  { id: 'payments', title: msg`Payments`, content: ({ id }) => <AccountPayments id={id} /> },
  { id: 'webhooks', title: msg`Webhooks`, content: ({ id }) => <AccountWebhooks id={id} /> },
  { id: 'mails', title: msg`Emails`, content: ({ id }) => <AccountMails id={id} /> },
  { id: 'audit', title: msg`Audit trail`, content: ({ id }) => <AuditPanel accountId={String(id)} /> },
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
      <Tabs.List ref={list} mb="lg" aria-label={t`About this account`}>
        {tabs.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id}>
            {i18n._(title)}
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
    <Panel title={t`API keys`}>
      {error && !keys && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!keys && !error && <Skeleton height={180} radius="md" />}
      {keys?.length === 0 && <Empty icon="keys" title={t`No API keys yet`} />}
      {keys && keys.length > 0 && (
        <KeyTable keys={keys} actions={(key) => <SuspendKey account={account} apiKey={key} />} />
      )}
    </Panel>
  );
}

const { listAccountEntries } = operatorRoutes;

function AccountLedger({ id }: { id: number }) {
  const path = { id: String(id) };
  const pages = useRoutePages({
    route: listAccountEntries,
    input: (query) => ({ path, query }),
    rowsOf: ({ entries }) => entries,
    pollMs: (first) => (first?.isBehind ? behindPollMs : false),
  });
  return (
    <Panel title={t`Ledger`}>
      <PagedList pages={pages} empty={<Empty icon="usage" title={t`No entries yet`} />}>
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
      empty={<Empty icon="logs" title={t`No requests in the last 30 days`} />}
    />
  );
}

const { listAccountPayments, listAccountWebhooks } = operatorRoutes;

const paymentColumns = (): Column<PaymentRecord>[] => [
  {
    title: t`Created`,
    place: 'lead',
    cell: ({ createdAt }) => <span className="number">{formatStamp(createdAt)}</span>,
  },
  { title: t`Payment`, place: 'wide', cell: paymentTitle },
  {
    title: t`Status`,
    cell: (payment) => {
      const { title, color } = statusLabel(payment);
      return <Badge color={color}>{title}</Badge>;
    },
  },
  { title: t`Amount`, place: 'end', cell: ({ amount }) => formatCents(amount) },
  {
    title: t({ message: 'Returned', comment: 'A refunded amount' }),
    place: 'end',
    cell: ({ refundedAmount }) => (refundedAmount > 0 ? formatCents(refundedAmount) : '–'),
  },
];

function AccountPayments({ id }: { id: number }) {
  const path = { id: String(id) };
  const pages = useRoutePages({
    route: listAccountPayments,
    input: (query) => ({ path, query }),
    rowsOf: ({ items }) => items,
  });
  return (
    <Panel title={t`Payments`}>
      <PagedList pages={pages} empty={<Empty icon="billing" title={t`No payments yet`} />}>
        {(payments) => (
          <DataTable
            caption={t`Payments, newest first`}
            columns={paymentColumns()}
            rows={payments}
            idOf={(payment) => payment.id}
          />
        )}
      </PagedList>
    </Panel>
  );
}

type Webhook = InferOutput<typeof WebhookList>['items'][number];

const disabledTitles = {
  requested: msg`Disabled: requested`,
  failing: msg`Disabled: failing`,
  gone: msg`Disabled: gone`,
} as const;

const webhookColumns = (): Column<Webhook>[] => [
  { title: t`URL`, place: 'lead', cell: ({ url }) => <span style={{ overflowWrap: 'anywhere' }}>{url}</span> },
  {
    title: t`Status`,
    cell: ({ status, disabledReason, failingSince }) => {
      if (status === 'disabled')
        return <Badge color="red">{i18n._(disabledTitles[disabledReason ?? 'requested'])}</Badge>;
      return failingSince === null ? (
        <Badge color="pine">
          <Trans>Active</Trans>
        </Badge>
      ) : (
        <Badge color="yellow.8">
          <Trans>Failing</Trans>
        </Badge>
      );
    },
  },
  { title: t`Failing since`, cell: ({ failingSince }) => (failingSince === null ? '–' : formatStamp(failingSince)) },
  { title: t`Created`, cell: ({ createdAt }) => formatStamp(createdAt) },
];

function AccountWebhooks({ id }: { id: number }) {
  const { data, error, refetch } = useData(listAccountWebhooks, { path: { id: String(id) } });
  return (
    <Panel title={t`Webhooks`}>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={180} radius="md" />}
      {data?.items.length === 0 && <Empty icon="webhooks" title={t`No webhooks yet`} />}
      {data && data.items.length > 0 && (
        <DataTable caption={t`Webhooks`} columns={webhookColumns()} rows={data.items} idOf={(webhook) => webhook.id} />
      )}
    </Panel>
  );
}

type MailRecords = InferOutput<typeof MailList>;
type Mail = MailRecords['mails'][number];

const states: Readonly<Record<Mail['state'], { title: MessageDescriptor; color: string }>> = {
  waiting: { title: msg`Waiting`, color: 'yellow.8' },
  sent: { title: msg`Sent`, color: 'pine' },
  bounced: { title: msg`Bounced`, color: 'red' },
  complained: { title: msg`Reported as spam`, color: 'red' },
  rejected: { title: msg`Rejected`, color: 'red' },
  suppressed: { title: msg`Blocked`, color: 'red' },
  expired: { title: msg`Expired`, color: 'red' },
};
const suppressions: Readonly<Record<NonNullable<MailRecords['suppression']>['reason'], (date: string) => string>> = {
  bounce: (date) => t`An email to this address bounced on ${date}. No more emails are sent to this address.`,
  complaint: (date) =>
    t`An email to this address was reported as spam on ${date}. No more emails are sent to this address.`,
};

const mailColumns = (): Column<Mail>[] => [
  { title: t`Created`, place: 'lead', cell: ({ at }) => <span className="number">{formatSecond(at)}</span> },
  { title: t`Subject`, place: 'wide', cell: ({ subject }) => subject },
  { title: t`Status`, cell: ({ state }) => <Badge color={states[state].color}>{i18n._(states[state].title)}</Badge> },
  { title: t`Since`, cell: ({ stateAt }) => (stateAt === null ? '–' : formatSecond(stateAt)) },
];

function AccountMails({ id }: { id: number }) {
  const { data, error, refetch } = useData(operatorRoutes.listAccountMails, { path: { id: String(id) } });
  return (
    <Panel title={t`Emails`}>
      <Stack gap="md">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton height={180} radius="md" />}
        {data?.suppression && (
          <Notice tone="warning">{suppressions[data.suppression.reason](formatStamp(data.suppression.at))}</Notice>
        )}
        {data?.mails.length === 0 && <Empty icon="mail" title={t`No emails in the last 30 days`} />}
        {data && data.mails.length > 0 && (
          <>
            <DataTable
              caption={t`Emails, newest first`}
              columns={mailColumns()}
              rows={data.mails}
              idOf={({ at, subject }) => `${at} ${subject}`}
            />
            <Text size="sm" c="dimmed">
              <Trans>
                The newest 20 from the last 30 days, without their text. Sent means that the email service accepted it.
              </Trans>
            </Text>
          </>
        )}
      </Stack>
    </Panel>
  );
}
