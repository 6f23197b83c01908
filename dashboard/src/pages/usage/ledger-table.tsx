import { Badge } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { LedgerPage } from '#contract/billing/credits.ts';
import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { formatCredits, formatMoment } from '../../lib/format.ts';
import { serviceTitle } from '../../lib/names.ts';

export type Entry = InferOutput<typeof LedgerPage>['entries'][number];

const colors: Readonly<Record<Entry['type'], string>> = {
  grant: 'pine',
  charge: 'gray',
  refund: 'pine',
  expiry: 'yellow.8',
  adjustment: 'gray',
};

const columns: Column<Entry>[] = [
  { title: 'Date', place: 'lead', cell: ({ at }) => <span className="number">{formatMoment(at)}</span> },
  { title: 'Type', cell: ({ type }) => <Badge color={colors[type]}>{type}</Badge> },
  { title: 'Description', place: 'wide', cell: ({ service, model }) => whatFor(service, model) },
  { title: 'Request', cell: ({ requestId }) => requestId && <span className="mono">{requestId.slice(0, 13)}…</span> },
  {
    title: 'Credits',
    place: 'end',
    cell: ({ credits }) => (credits > 0 ? `+${formatCredits(credits)}` : signed(credits)),
  },
  { title: 'Balance', place: 'end', cell: ({ balance }) => formatCredits(balance) },
];

/** Changes of a balance, newest first. */
export function LedgerTable({ entries }: { entries: readonly Entry[] }) {
  return <DataTable caption="Credit history, newest first" columns={columns} rows={entries} idOf={({ seq }) => seq} />;
}

const signed = (credits: number): string => (credits < 0 ? `−${formatCredits(-credits)}` : '0');

/** What the type does not name already: credits that come or expire are of no service. */
function whatFor(service: string | null, model: string | null) {
  if (service === null) return '–';
  return model === null ? serviceTitle(service) : `${serviceTitle(service)}, ${model}`;
}
