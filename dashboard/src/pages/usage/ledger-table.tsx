import { Badge } from '@mantine/core';
import { useNow } from '../../api/clock.ts';
import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { formatCredits, formatPast } from '../../lib/format.ts';
import { type Entry, entryText } from './entry-text.ts';

const types: Readonly<Record<Entry['type'], { readonly title: string; readonly color: string }>> = {
  grant: { title: 'Grant', color: 'pine' },
  charge: { title: 'Charge', color: 'gray' },
  refund: { title: 'Refund', color: 'pine' },
  expiry: { title: 'Expiry', color: 'yellow.8' },
  adjustment: { title: 'Plan change', color: 'gray' },
};

const columnsAt = (now: number): Column<Entry>[] => [
  { title: 'Date', place: 'lead', cell: ({ at }) => <span className="number">{formatPast(at, now)}</span> },
  { title: 'Type', cell: ({ type }) => <Badge color={types[type].color}>{types[type].title}</Badge> },
  { title: 'Description', place: 'wide', cell: (entry) => entryText(entry, now) },
  { title: 'Request', cell: ({ requestId }) => requestId && <span className="mono">{requestId.slice(0, 13)}…</span> },
  {
    title: 'Credits',
    place: 'end',
    cell: ({ credits }) => (credits > 0 ? `+${formatCredits(credits)}` : signed(credits)),
  },
  { title: 'Balance', place: 'end', cell: ({ balance }) => formatCredits(balance) },
];

/** How often a list is read again while its newest entries are still being written. */
export const behindPollMs = 1000;

/** Changes of a balance, newest first. */
export function LedgerTable({ entries }: { entries: readonly Entry[] }) {
  const now = useNow();
  return (
    <DataTable caption="Credit history, newest first" columns={columnsAt(now)} rows={entries} idOf={({ seq }) => seq} />
  );
}

const signed = (credits: number): string => (credits < 0 ? `−${formatCredits(-credits)}` : '0');
