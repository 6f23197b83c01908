import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { AccountDetails } from '#contract/operators/operators.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { KeyRecords } from '../../api/keys.ts';
import { Detail, Details } from '../../components/details.tsx';
import { Notice } from '../../components/notice.tsx';
import { Empty, Panel } from '../../components/page.tsx';
import { type Column, DataTable } from '../../components/tables.tsx';
import {
  creditCount,
  formatCredits,
  formatDay,
  formatPrice,
  formatSecond,
  formatStamp,
  formatWhole,
} from '../../lib/format.ts';
import { planTitle, serviceTitle } from '../../lib/offer.ts';

export type Account = InferOutput<typeof AccountDetails>;

export const accountPath = (id: number | string): string => `/operator?account=${id}`;

/** Like the contract's route, but one unreadable key does not fail the list. */
export const listAccountKeys = { ...operatorRoutes.listAccountKeys, output: KeyRecords };

export function AccountOverview({ account }: { account: Account }) {
  const { suspendedAt, deletedAt } = account;
  return (
    <Stack gap="lg">
      {deletedAt !== null && (
        <Notice tone="info">Deleted on {formatStamp(deletedAt)}. Its data is purged 30 days later.</Notice>
      )}
      {deletedAt === null && suspendedAt !== null && (
        <Notice tone="warning">
          Suspended on {formatStamp(suspendedAt)}. API keys are rejected and sign-in is disabled. See the audit trail
          for the reason.
        </Notice>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <ProfilePanel account={account} />
        <MeterPanel account={account} />
      </SimpleGrid>
      <CreditsPanel account={account} />
      {account.holds.length > 0 && <HoldsPanel account={account} />}
    </Stack>
  );
}

function ProfilePanel({ account }: { account: Account }) {
  const { name, role, created_at, confirmedAt, plan, subscription } = account;
  return (
    <Panel title="Profile and plan">
      <Details>
        <Detail title="Name">
          <bdi>{name}</bdi>
        </Detail>
        <Detail title="Role">{role}</Detail>
        <Detail title="Registered">{formatStamp(created_at)}</Detail>
        <Detail title="Confirmed">{confirmedAt === null ? 'No' : formatStamp(confirmedAt)}</Detail>
        <Detail title="Sign-in methods">{signInOf(account)}</Detail>
        <Detail title="Plan">{planTitle(plan)}</Detail>
        <Detail title="Subscription">{subscription === null ? 'None' : subscription.status}</Detail>
        {subscription && <SubscriptionDetails subscription={subscription} />}
      </Details>
    </Panel>
  );
}

function signInOf({ signIn: { password, google } }: Account): string {
  return [password && 'password', google && 'Google'].filter(Boolean).join(', ') || 'nothing';
}

function SubscriptionDetails({ subscription }: { subscription: NonNullable<Account['subscription']> }) {
  const { nextBillingDate, price, pendingPlanId, endsAt, creditsExpireAt } = subscription;
  return (
    <>
      <Detail title="Price">{`${formatPrice(price)} per month`}</Detail>
      {endsAt === undefined && <Detail title="Next billing">{formatDay(nextBillingDate)}</Detail>}
      {pendingPlanId && <Detail title="Next plan">{planTitle(pendingPlanId)}</Detail>}
      {endsAt && <Detail title="Plan ends">{formatStamp(endsAt)}</Detail>}
      {creditsExpireAt && <Detail title="Credits expire">{formatStamp(creditsExpireAt)}</Detail>}
    </>
  );
}

function MeterPanel({ account }: { account: Account }) {
  const { credits, calls, period, used } = account;
  const { perMinute, perMonth } = calls;
  return (
    <Panel title="Credits">
      <Details>
        <Detail title="Available">{formatCredits(credits.spendable)}</Detail>
        <Detail title="Reserved">{formatCredits(credits.held)}</Detail>
        <Detail title="Concurrent calls">{`${formatWhole(calls.running)} of ${formatWhole(calls.maxRunning)}`}</Detail>
        <Detail title="Calls in a minute">
          {perMinute === null
            ? 'No limit'
            : `${formatWhole(perMinute.remaining)} of ${formatWhole(perMinute.limit)} left`}
        </Detail>
        <Detail title="Calls this month">
          {perMonth === null
            ? formatWhole(calls.thisMonth)
            : `${formatWhole(calls.thisMonth)} of ${formatWhole(perMonth)}`}
        </Detail>
        <Detail title="Month">{`${formatDay(period.from)} – ${formatDay(period.to)}`}</Detail>
        {used.map(({ service, credits: spent }) => (
          <Detail key={service} title={serviceTitle(service)}>
            {creditCount(spent, formatCredits)}
          </Detail>
        ))}
      </Details>
    </Panel>
  );
}

type Lot = Account['credits']['lots'][number];

const titles = { free: 'Free allowance', plan: 'Plan', purchase: 'Granted' } as const;

const lotColumns: Column<Lot>[] = [
  { title: 'Source', place: 'lead', cell: ({ source }) => titles[source] },
  { title: 'Granted', place: 'end', cell: ({ granted }) => formatCredits(granted) },
  { title: 'Left', place: 'end', cell: ({ remaining }) => formatCredits(remaining) },
  { title: 'Expires', cell: ({ expiresAt }) => formatStamp(expiresAt) },
];

/** Grants in the order in which they are spent. */
function CreditsPanel({ account }: { account: Account }) {
  const { lots } = account.credits;
  return (
    <Panel title="Credits by expiry">
      {lots.length === 0 && <Empty icon="plans" title="No credits left" />}
      {lots.length > 0 && (
        <DataTable
          caption="Credits, soonest expiry first"
          columns={lotColumns}
          rows={lots}
          idOf={({ source, expiresAt }) => `${source} ${expiresAt}`}
        />
      )}
    </Panel>
  );
}

type Hold = Account['holds'][number];

const holdColumns: Column<Hold>[] = [
  { title: 'Request', place: 'lead', cell: ({ requestId }) => <span className="mono">{requestId}</span> },
  { title: 'Service', place: 'wide', cell: ({ service, model }) => `${serviceTitle(service)}, ${model}` },
  { title: 'Reserved', place: 'end', cell: ({ credits }) => formatCredits(credits) },
  { title: 'Released by', cell: ({ expiresAt }) => formatSecond(expiresAt) },
];

function HoldsPanel({ account: { holds, calls } }: { account: Account }) {
  const hidden = calls.running - holds.length;
  return (
    <Panel title="Running calls">
      <DataTable caption="Running calls" columns={holdColumns} rows={holds} idOf={({ requestId }) => requestId} />
      {hidden > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          And {formatWhole(hidden)} more.
        </Text>
      )}
    </Panel>
  );
}
