import { Box, Text } from '@mantine/core';
import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { Name } from '../../components/tables/name.tsx';
import { count, creditCount, formatCredits, formatShare, formatWhole } from '../../lib/format.ts';
import { sum, type Total } from '../../lib/usage.ts';
import { type Group, groupTitle } from './groups.ts';

/** The totals in numbers, with what they come to. */
export function UsageTable({ totals, group }: { totals: readonly Total[]; group: Group }) {
  const title = groupTitle(group);
  const credits = sum(totals.map((total) => total.credits));
  const columns: Column<Total>[] = [
    {
      title,
      place: 'lead',
      cell: ({ name }) => <Name>{name}</Name>,
    },
    { title: 'Calls', place: 'end', cell: ({ calls }) => formatWhole(calls) },
    { title: 'Credits', place: 'end', cell: (total) => formatCredits(total.credits) },
    {
      title: 'Share',
      place: 'end',
      cell: (total) => formatShare(total.credits, credits),
    },
  ];
  return (
    <Box mt="lg">
      <DataTable
        caption={`Usage by ${title.toLowerCase()}`}
        columns={columns}
        rows={totals}
        idOf={({ name }) => name}
      />
      <Text size="sm" c="dimmed" mt="sm">
        {count(sum(totals.map(({ calls }) => calls)), 'call')}, {creditCount(credits, formatCredits)} in all. Days are
        UTC.
      </Text>
    </Box>
  );
}
