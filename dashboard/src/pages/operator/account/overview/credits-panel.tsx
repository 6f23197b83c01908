import { Empty } from '../../../../components/feedback/empty.tsx';
import { Panel } from '../../../../components/layout/panel.tsx';
import { type Column, DataTable } from '../../../../components/tables/data-table.tsx';
import { formatCredits, formatStamp } from '../../../../lib/format.ts';
import type { Account } from '../account.ts';

type Lot = Account['credits']['lots'][number];

const titles = { free: 'Free allowance', plan: 'Plan', purchase: 'Granted' } as const;

const columns: Column<Lot>[] = [
  { title: 'Source', place: 'lead', cell: ({ source }) => titles[source] },
  { title: 'Granted', place: 'end', cell: ({ granted }) => formatCredits(granted) },
  { title: 'Left', place: 'end', cell: ({ remaining }) => formatCredits(remaining) },
  { title: 'Expires', cell: ({ expiresAt }) => formatStamp(expiresAt) },
];

/** Granted credits, in the order in which they are spent. */
export function CreditsPanel({ account }: { account: Account }) {
  const { lots } = account.credits;
  return (
    <Panel title="Credits by expiry">
      {lots.length === 0 && <Empty icon="plans" title="No credits left" />}
      {lots.length > 0 && (
        <DataTable
          caption="Credits, soonest expiry first"
          columns={columns}
          rows={lots}
          idOf={({ source, expiresAt }) => `${source} ${expiresAt}`}
        />
      )}
    </Panel>
  );
}
