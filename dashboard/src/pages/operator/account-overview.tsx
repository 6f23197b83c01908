import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SimpleGrid, Stack, Text, Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { useConfig } from '../../api/config.ts';
import { KeyRecords } from '../../api/keys.ts';
import { Detail, Details } from '../../components/details.tsx';
import { Notice } from '../../components/notice.tsx';
import { Empty, Panel } from '../../components/page.tsx';
import { roleTitles } from '../../components/roles.tsx';
import { type Column, DataTable } from '../../components/tables.tsx';
import {
  creditCount,
  formatCredits,
  formatDay,
  formatSecond,
  formatStamp,
  formatWhole,
  formatItems,
} from '../../lib/format.ts';
import { planTitle, serviceTitle } from '../../lib/offer.ts';
import { type Account, billingText, wordOf } from './words.ts';

export const accountPath = (id: number | string): string => `/operator?account=${id}`;

/** Like the contract's route, but one unreadable key does not fail the list. */
export const listAccountKeys = { ...operatorRoutes.listAccountKeys, output: KeyRecords };

export function AccountOverview({ account }: { account: Account }) {
  const { suspendedAt, deletedAt } = account;
  return (
    <Stack gap="lg">
      {deletedAt !== null && (
        <Notice tone="info">
          <Trans>Deleted on {{ date: formatStamp(deletedAt) }}. Its data is purged 30 days later.</Trans>
        </Notice>
      )}
      {deletedAt === null && suspendedAt !== null && (
        <Notice tone="warning">
          <Trans>
            Suspended on {{ date: formatStamp(suspendedAt) }}. API keys are rejected and sign-in is disabled. See the
            audit trail for the reason.
          </Trans>
        </Notice>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <ProfilePanel account={account} />
        <MeterPanel account={account} />
      </SimpleGrid>
      <CreditsPanel account={account} />
      {account.organizations.length > 0 && <OrganizationsPanel account={account} pathOf={accountPath} />}
      {account.holds.length > 0 && <HoldsPanel account={account} />}
    </Stack>
  );
}

function ProfilePanel({ account }: { account: Account }) {
  const { name, role, created_at, confirmedAt, plan, subscription } = account;
  return (
    <Panel title={t`Profile and plan`}>
      <Details>
        <Detail title={t`Name`}>
          <bdi>{name}</bdi>
        </Detail>
        <Detail title={t`Role`}>{wordOf(role)}</Detail>
        <Detail title={t`Registered`}>{formatStamp(created_at)}</Detail>
        <Detail title={t`Confirmed`}>{confirmedAt === null ? t`No` : formatStamp(confirmedAt)}</Detail>
        <Detail title={t`Sign-in methods`}>{signInOf(account)}</Detail>
        <Detail title={t`Plan`}>{planTitle(plan)}</Detail>
        <Detail title={t`Subscription`}>
          {subscription === null ? t({ message: 'None', context: 'Subscription' }) : wordOf(subscription.status)}
        </Detail>
        {subscription && <SubscriptionDetails plan={plan} subscription={subscription} />}
      </Details>
    </Panel>
  );
}

function signInOf({ signIn: { password, google } }: Account): string {
  if (password && google) return t`password, Google`;
  if (google) return 'Google';
  return password
    ? t({ message: 'password', comment: 'A sign-in method' })
    : t({ message: 'nothing', comment: 'No sign-in methods' });
}

interface SubscriptionDetailsProps {
  readonly plan: string;
  readonly subscription: NonNullable<Account['subscription']>;
}

function SubscriptionDetails({ plan, subscription }: SubscriptionDetailsProps) {
  const { payments } = useConfig();
  const { nextBillingDate, pendingPlanId, endsAt, creditsExpireAt } = subscription;
  const { price, isBilled } = billingText(plan, subscription, payments);
  return (
    <>
      <Detail title={t`Price`}>{price}</Detail>
      {isBilled && endsAt === undefined && <Detail title={t`Next billing`}>{formatDay(nextBillingDate)}</Detail>}
      {pendingPlanId && <Detail title={t`Next plan`}>{planTitle(pendingPlanId)}</Detail>}
      {endsAt && <Detail title={t`Plan ends`}>{formatStamp(endsAt)}</Detail>}
      {creditsExpireAt && <Detail title={t`Credits expire`}>{formatStamp(creditsExpireAt)}</Detail>}
    </>
  );
}

function MeterPanel({ account }: { account: Account }) {
  const { credits, calls, period, used } = account;
  const { perMinute, perMonth } = calls;
  return (
    <Panel title={t`Credits`}>
      <Details>
        <Detail title={t`Available`}>{formatCredits(credits.spendable)}</Detail>
        <Detail title={t`Reserved`}>{formatCredits(credits.held)}</Detail>
        <Detail title={t`Concurrent calls`}>{ofText(calls.running, calls.maxRunning)}</Detail>
        <Detail title={t`Calls in a minute`}>
          {perMinute === null
            ? t`No limit`
            : t`${{ remaining: formatWhole(perMinute.remaining) }} of ${{ limit: formatWhole(perMinute.limit) }} left`}
        </Detail>
        <Detail title={t`Calls this month`}>
          {perMonth === null ? formatWhole(calls.thisMonth) : ofText(calls.thisMonth, perMonth)}
        </Detail>
        <Detail title={t`Month`}>{`${formatDay(period.from)} – ${formatDay(period.to)}`}</Detail>
        {used.map(({ service, credits: spent }) => (
          <Detail key={service} title={serviceTitle(service)}>
            {creditCount(spent, formatCredits)}
          </Detail>
        ))}
      </Details>
    </Panel>
  );
}

const ofText = (part: number, whole: number): string =>
  t`${{ part: formatWhole(part) }} of ${{ whole: formatWhole(whole) }}`;

type Lot = Account['credits']['lots'][number];

const titles = { free: msg`Free allowance`, plan: msg`Plan`, purchase: msg`Granted` } as const;

const lotColumns = (): Column<Lot>[] => [
  { title: t`Source`, place: 'lead', cell: ({ source }) => i18n._(titles[source]) },
  { title: t`Granted`, place: 'end', cell: ({ granted }) => formatCredits(granted) },
  {
    title: t({ message: 'Left', comment: 'Credits that remain' }),
    place: 'end',
    cell: ({ remaining }) => formatCredits(remaining),
  },
  { title: t`Expires`, cell: ({ expiresAt }) => formatStamp(expiresAt) },
];

/** Grants in the order in which they are spent. */
function CreditsPanel({ account }: { account: Account }) {
  const { lots } = account.credits;
  return (
    <Panel title={t`Credits by expiry`}>
      {lots.length === 0 && <Empty icon="plans" title={t`No credits left`} />}
      {lots.length > 0 && (
        <DataTable
          caption={t`Credits, soonest expiry first`}
          columns={lotColumns()}
          rows={lots}
          idOf={({ source, expiresAt }) => `${source} ${expiresAt}`}
        />
      )}
    </Panel>
  );
}

type Hold = Account['holds'][number];

const holdColumns = (): Column<Hold>[] => [
  { title: t`Request`, place: 'lead', cell: ({ requestId }) => <span className="mono">{requestId}</span> },
  { title: t`Service`, place: 'wide', cell: ({ service, model }) => `${serviceTitle(service)}, ${model}` },
  { title: t`Reserved`, place: 'end', cell: ({ credits }) => formatCredits(credits) },
  {
    title: t({ message: 'Released by', comment: 'The time until which credits stay reserved' }),
    cell: ({ expiresAt }) => formatSecond(expiresAt),
  },
];

function HoldsPanel({ account: { holds, calls } }: { account: Account }) {
  const hidden = calls.running - holds.length;
  return (
    <Panel title={t`Running calls`}>
      <DataTable caption={t`Running calls`} columns={holdColumns()} rows={holds} idOf={({ requestId }) => requestId} />
      {hidden > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          <Trans>And {{ count: formatWhole(hidden) }} more.</Trans>
        </Text>
      )}
    </Panel>
  );
}

type Listed = Account['organizations'][number];

interface OrganizationsPanelProps {
  readonly account: Account;
  readonly pathOf: (id: number) => string;
}

/** Shared organizations of the person. Each is suspended on its own page. */
function OrganizationsPanel({ account: { organizations }, pathOf }: OrganizationsPanelProps) {
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
