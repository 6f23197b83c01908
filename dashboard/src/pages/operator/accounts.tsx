import { Anchor, Badge, SimpleGrid, Stack, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import { Link } from 'wouter';
import { planListing } from '#contract/billing/plans.ts';
import { type AccountState, type DirectoryPage, type DirectoryTotals, newDays } from '#contract/operators/directory.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { dayMs, dayOf } from '#contract/shared/time.ts';
import { call } from '../../api/call.ts';
import { useNow } from '../../api/config.ts';
import { useData } from '../../api/reads.ts';
import { Detail, Details } from '../../components/details.tsx';
import { FilterFields, NoMatch, useFilter } from '../../components/filters.tsx';
import { Empty, Panel } from '../../components/page.tsx';
import { type Column, DataTable, PagedList, usePages } from '../../components/tables.tsx';
import { formatCredits, formatDay, formatStamp, formatWhole } from '../../lib/format.ts';
import { planTitle } from '../../lib/offer.ts';
import { accountPath } from './account-overview.tsx';

type Listed = InferOutput<typeof DirectoryPage>['accounts'][number];

const { listAccounts } = operatorRoutes;
const pageSize = 25;

const states: Readonly<Record<AccountState, { title: string; color: string }>> = {
  active: { title: 'Active', color: 'pine' },
  unconfirmed: { title: 'Unconfirmed', color: 'gray' },
  past_due: { title: 'Past due', color: 'yellow.8' },
  suspended: { title: 'Suspended', color: 'red' },
  deleted: { title: 'Deleted', color: 'gray' },
};
const stateChoices = (['active', 'unconfirmed', 'past_due', 'suspended', 'deleted'] as const).map((value) => ({
  value,
  label: states[value].title,
}));
const planChoices = planListing.map(({ name }) => ({ value: name, label: planTitle(name) }));
const sortChoices = [
  { value: 'spending', label: 'Spent this month' },
  { value: 'balance', label: 'Balance' },
] as const;
const sinceChoices = ['1', '7', '30', '90'].map((days) => ({
  value: days,
  label: days === '1' ? 'Last 24 hours' : `Last ${days} days`,
}));

/** All accounts as of the last hourly update. */
export function AccountsPanel() {
  const now = useNow();
  const state = useFilter('state', 'State', 'All states', stateChoices);
  const plan = useFilter('plan', 'Plan', 'All plans', planChoices);
  const sort = useFilter('sort', 'Sort by', 'Newest', sortChoices);
  const since = useFilter('since', 'Registered', 'Any time', sinceChoices);
  // The list can be limited to a time only in the order of registration.
  const filters = sort.value === undefined ? [state, plan, since, sort] : [state, plan, sort];
  const sinceDay = sort.value === undefined && since.value && dayOf(now - Number(since.value) * dayMs);
  const query = { state: state.value, plan: plan.value, sort: sort.value, since: sinceDay || undefined };
  const pages = usePages({
    queryKey: [listAccounts.id, query],
    read: (cursor, signal) => call(listAccounts, { query: { ...query, cursor, limit: String(pageSize) } }, { signal }),
    rowsOf: ({ accounts }) => accounts,
    keepsPrevious: true,
  });
  const { data: overall } = useData(listAccounts, { query: { limit: '1' } });
  const isFiltered = filters.some(({ value, name }) => value !== undefined && name !== 'sort');

  return (
    <Panel title="Accounts">
      <Stack gap="md">
        {overall?.totals && <Totals totals={overall.totals} />}
        <div>
          <FilterFields filters={filters} columns="repeat(auto-fit, minmax(9.5rem, 1fr))" />
          <PagedList
            pages={pages}
            empty={
              isFiltered ? (
                <NoMatch icon="operator" title="No accounts match these filters" filters={filters} />
              ) : (
                <Empty icon="operator" title="The list is not ready yet">
                  It is updated every hour.
                </Empty>
              )
            }
          >
            {(accounts) => (
              <DataTable
                caption={`Accounts, ${sort.value === undefined ? 'newest' : 'highest'} first`}
                columns={columns}
                rows={accounts}
                idOf={({ id }) => id}
              />
            )}
          </PagedList>
        </div>
        {overall?.updatedAt && (
          <Text size="sm" c="dimmed">
            {`As of ${formatStamp(overall.updatedAt)}. Later changes appear within an hour; an account’s own page is always current.`}
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
        <Detail title="Accounts">{formatWhole(totals.accounts)}</Detail>
        <Detail title={`New in ${newDays} days`}>{formatWhole(totals.new)}</Detail>
        <Detail title="Suspended">{formatWhole(totals.states.suspended)}</Detail>
      </Details>
      <Details>
        <Detail title="Active this month">{formatWhole(totals.active)}</Detail>
        <Detail title="Credits spent">{formatCredits(totals.spent)}</Detail>
        <Detail title="Past due">{formatWhole(totals.failing)}</Detail>
      </Details>
    </SimpleGrid>
  );
}

const columns: Column<Listed>[] = [
  {
    title: 'Account',
    place: 'lead',
    cell: ({ id, email }) => (
      <Anchor component={Link} href={accountPath(id)} inherit style={{ overflowWrap: 'anywhere' }}>
        {email}
      </Anchor>
    ),
  },
  { title: 'State', cell: ({ state }) => <Badge color={states[state].color}>{states[state].title}</Badge> },
  { title: 'Plan', cell: ({ plan }) => planTitle(plan) },
  { title: 'Registered', cell: ({ created_at }) => formatDay(created_at) },
  { title: 'Spent this month', place: 'end', cell: ({ spent }) => formatCredits(spent) },
  { title: 'Balance', place: 'end', cell: ({ balance }) => formatCredits(balance) },
];
