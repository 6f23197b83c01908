import { Text } from '@mantine/core';
import { planOverview } from '#contract/billing/plans.ts';
import { Panel } from '../../components/layout/panel.tsx';
import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { formatPrice, formatWhole } from '../../lib/format.ts';
import { planTitle } from '../../lib/names.ts';

type OverviewPlan = (typeof planOverview)[number];

const columns: Column<OverviewPlan>[] = [
  { title: 'Plan', place: 'lead', cell: ({ name }) => <Text fw={600}>{planTitle(name)}</Text> },
  { title: 'Price a month', place: 'end', cell: ({ price }) => formatPrice(price) },
  {
    title: 'API calls a month',
    place: 'end',
    cell: ({ callsPerMonth }) => (callsPerMonth === null ? 'Unlimited' : formatWhole(callsPerMonth)),
  },
  {
    title: 'Requests a minute',
    place: 'end',
    cell: ({ name, callsPerMinute }) => {
      if (callsPerMinute !== null) return formatWhole(callsPerMinute);
      return name === 'enterprise' ? 'Custom' : 'Not specified';
    },
  },
];

/** The second table of the specification, named as what it is: its values differ from the listing's above. */
export function OverviewValues() {
  return (
    <Panel title="Plan overview">
      <Text size="sm" c="dimmed" mb="md" maw="46rem">
        The plans are published in two tables that differ. The cards above are the plan listing, which the API returns
        and enforces by default. These are the values of the plan overview; a deployment may enforce its call and rate
        limits instead.
      </Text>
      <DataTable caption="Plan overview" columns={columns} rows={planOverview} idOf={({ name }) => name} />
    </Panel>
  );
}
