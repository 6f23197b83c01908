import { Text } from '@mantine/core';
import { Panel } from '../../../../components/layout/panel.tsx';
import { type Column, DataTable } from '../../../../components/tables/data-table.tsx';
import { formatCredits, formatSecond, formatWhole } from '../../../../lib/format.ts';
import { serviceTitle } from '../../../../lib/names.ts';
import type { Account } from '../account.ts';

type Hold = Account['holds'][number];

const columns: Column<Hold>[] = [
  { title: 'Request', place: 'lead', cell: ({ requestId }) => <span className="mono">{requestId}</span> },
  { title: 'Service', place: 'wide', cell: ({ service, model }) => `${serviceTitle(service)}, ${model}` },
  { title: 'Reserved', place: 'end', cell: ({ credits }) => formatCredits(credits) },
  { title: 'Released by', cell: ({ expiresAt }) => formatSecond(expiresAt) },
];

/** Calls that run, and the credits that they hold. */
export function HoldsPanel({ account: { holds, calls } }: { account: Account }) {
  const hidden = calls.running - holds.length;
  return (
    <Panel title="Running calls">
      <DataTable caption="Running calls" columns={columns} rows={holds} idOf={({ requestId }) => requestId} />
      {hidden > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          And {formatWhole(hidden)} more.
        </Text>
      )}
    </Panel>
  );
}
