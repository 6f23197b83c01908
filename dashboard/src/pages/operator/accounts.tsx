import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Anchor, Badge, SimpleGrid, Stack, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import { Link } from 'wouter';
import { planListing } from '#contract/billing/plans.ts';
import { type AccountState, type DirectoryPage, type DirectoryTotals, newDays } from '#contract/operators/operators.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { dayMs, dayOf } from '#contract/shared/time.ts';
import { useNow } from '../../api/config.ts';
import { useData } from '../../api/reads.ts';
import { Detail, Details } from '../../components/details.tsx';
import { FilterFields, NoMatch, useFilter } from '../../components/filters.tsx';
import { Empty, Panel } from '../../components/page.tsx';
import { type Column, DataTable, PagedList, useRoutePages } from '../../components/tables.tsx';
import { formatCredits, formatDay, formatMoment, formatStamp, formatWhole } from '../../lib/format.ts';
import { planTitle } from '../../lib/offer.ts';
import { accountPath } from './account-overview.tsx';

type Listed = InferOutput<typeof DirectoryPage>['accounts'][number];

const { listAccounts } = operatorRoutes;

export const accountStates: Readonly<Record<AccountState, { title: MessageDescriptor; color: string }>> = {
  active: { title: msg`Active`, color: 'pine' },
  unconfirmed: { title: msg`Unconfirmed`, color: 'gray' },
  past_due: { title: msg`Past due`, color: 'yellow.8' },
  suspended: { title: msg`Suspended`, color: 'red' },
  deleted: { title: msg`Deleted`, color: 'gray' },
};
const stateChoices = () =>
  (['active', 'unconfirmed', 'past_due', 'suspended', 'deleted'] as const).map((value) => ({
    value,
    label: i18n._(accountStates[value].title),
  }));
export const planChoices = planListing.map(({ name }) => ({ value: name, label: planTitle(name) }));
const sortChoices = () => [
  { value: 'spending' as const, label: t`Spent this month` },
  { value: 'balance' as const, label: t`Balance` },
];
const sinceChoices = () =>
  ['1', '7', '30', '90'].map((days) => ({
    value: days,
    label: days === '1' ? t`Last 24 hours` : plural(Number(days), { one: 'Last # day', other: 'Last # days' }),
  }));

/** All accounts as of the last hourly update. */
export function AccountsPanel() {
  const now = useNow();
  const state = useFilter('state', t`State`, t`All states`, stateChoices());
  const plan = useFilter('plan', t`Plan`, t`All plans`, planChoices);
  const sort = useFilter('sort', t`Sort by`, t`Newest`, sortChoices());
  const since = useFilter('since', t`Registered`, t`Any time`, sinceChoices());
  // The list can be limited to a time only in the order of registration.
  const filters = sort.value === undefined ? [state, plan, since, sort] : [state, plan, sort];
  const sinceDay = sort.value === undefined && since.value && dayOf(now - Number(since.value) * dayMs);
  const query = { state: state.value, plan: plan.value, sort: sort.value, since: sinceDay || undefined };
  const pages = useRoutePages({
    route: listAccounts,
    input: (page) => ({ query: { ...query, ...page } }),
    rowsOf: ({ accounts }) => accounts,
    keepsPrevious: true,
  });
  const { data: overall } = useData(listAccounts, { query: { limit: '1' } });
  const isFiltered = filters.some(({ value, name }) => value !== undefined && name !== 'sort');

  return (
    <Panel title={t`Accounts`}>
      <Stack gap="md">
        {overall?.totals && <Totals totals={overall.totals} />}
        <div>
          <FilterFields filters={filters} columns="repeat(auto-fit, minmax(9.5rem, 1fr))" />
          <PagedList
            pages={pages}
            empty={
              isFiltered ? (
                <NoMatch icon="operator" title={t`No accounts match these filters`} filters={filters} />
              ) : (
                <Empty icon="operator" title={t`The list is not ready yet`}>
                  {overall &&
                    t`It is updated every hour. The next update is on ${{ date: formatMoment(overall.nextUpdateAt) }}.`}
                </Empty>
              )
            }
          >
            {(accounts) => (
              <DataTable
                caption={sort.value === undefined ? t`Accounts, newest first` : t`Accounts, highest first`}
                columns={columns()}
                rows={accounts}
                idOf={({ id }) => id}
              />
            )}
          </PagedList>
        </div>
        {overall?.updatedAt && (
          <Text size="sm" c="dimmed">
            {t`As of ${{ date: formatStamp(overall.updatedAt) }}. Later changes appear within an hour; an account’s own page is always current.`}
          </Text>
        )}
      </Stack>
    </Panel>
  );
}

function Totals({ totals }: { totals: DirectoryTotals }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing={0}>
      <Details>
        <Detail title={t`Accounts`}>{formatWhole(totals.accounts)}</Detail>
        <Detail title={plural(newDays, { one: 'New in # day', other: 'New in # days' })}>
          {formatWhole(totals.new)}
        </Detail>
        <Detail title={t`Suspended`}>{formatWhole(totals.states.suspended)}</Detail>
      </Details>
      <Details>
        <Detail title={t`Active this month`}>{formatWhole(totals.active)}</Detail>
        <Detail title={t`Credits spent`}>{formatCredits(totals.spent)}</Detail>
        <Detail title={t`Past due`}>{formatWhole(totals.failing)}</Detail>
      </Details>
    </SimpleGrid>
  );
}

const columns = (): Column<Listed>[] => [
  {
    title: t`Account`,
    place: 'lead',
    cell: ({ id, email, name }) => (
      <Anchor component={Link} href={accountPath(id)} inherit style={{ overflowWrap: 'anywhere' }}>
        {email ?? <bdi>{name}</bdi>}
      </Anchor>
    ),
  },
  {
    title: t`State`,
    cell: ({ state }) => <Badge color={accountStates[state].color}>{i18n._(accountStates[state].title)}</Badge>,
  },
  { title: t`Plan`, cell: ({ plan }) => planTitle(plan) },
  { title: t`Registered`, cell: ({ created_at }) => formatDay(created_at) },
  { title: t`Spent this month`, place: 'end', cell: ({ spent }) => formatCredits(spent) },
  { title: t`Balance`, place: 'end', cell: ({ balance }) => formatCredits(balance) },
];
