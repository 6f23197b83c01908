import { Anchor, Badge, Text } from '@mantine/core';
import { Link } from 'wouter';
import { creditRoutes } from '#contract/routes/credits.ts';
import { call } from '../../api/call.ts';
import { useConfig, useNow, useSellsCredits } from '../../api/config.ts';
import { Empty, Panel } from '../../components/page.tsx';
import { type Column, DataTable, PagedList, usePages } from '../../components/tables.tsx';
import { formatCredits, formatPast } from '../../lib/format.ts';
import { paymentPage } from '../../lib/payment-text.ts';
import { type Entry, entryText, isTelling, priceNotes } from './entry-text.ts';

const pageSize = 20;
/** Maximum reads for one page of the table, since every entry of a read may be hidden. */
const maxReads = 5;

/** Reads pages until one contains an entry to show. */
async function readPage(cursor: string | undefined, signal: AbortSignal) {
  const first = await call(creditRoutes.getCredits, { query: { limit: String(pageSize), cursor } }, { signal });
  let page = first;
  for (let reads = 1; reads < maxReads && page.nextCursor !== null && !page.entries.some(isTelling); reads++)
    page = await call(creditRoutes.getCredits, { query: { limit: '200', cursor: page.nextCursor } }, { signal });
  return { ...page, isBehind: first.isBehind };
}

export function LedgerPanel() {
  const sellsCredits = useSellsCredits();
  const pages = usePages({
    queryKey: [creditRoutes.getCredits.id, 'ledger'],
    read: readPage,
    rowsOf: ({ entries }) => entries.filter(isTelling),
    pollMs: (first) => (first?.isBehind ? behindPollMs : false),
  });
  return (
    <Panel
      title="Credit history"
      aside={
        sellsCredits && (
          <Anchor component={Link} href="/billing" size="sm">
            Buy credits
          </Anchor>
        )
      }
    >
      <PagedList pages={pages} empty={<Empty icon="usage" title="No data yet" />}>
        {(entries) => <LedgerTable entries={entries} isOwn />}
      </PagedList>
    </Panel>
  );
}

const types: Readonly<Record<Entry['type'], { readonly title: string; readonly color: string }>> = {
  grant: { title: 'Grant', color: 'pine' },
  charge: { title: 'Charge', color: 'gray' },
  refund: { title: 'Refund', color: 'pine' },
  expiry: { title: 'Expiry', color: 'yellow.8' },
  adjustment: { title: 'Plan change', color: 'gray' },
};

function Description({ entry, now, isOwn }: { entry: Entry; now: number; isOwn: boolean }) {
  const { payments } = useConfig();
  const notes = priceNotes(entry);
  const { paymentId } = entry;
  if (paymentId !== undefined && payments && isOwn)
    return (
      <>
        {entryText(entry, now)}.{' '}
        <Anchor component={Link} href={paymentPage(paymentId)} inherit underline="always">
          View payment
        </Anchor>
      </>
    );
  if (notes.length === 0) return entryText(entry, now);
  return (
    <>
      <div>{entryText(entry, now)}</div>
      {notes.map((note) => (
        <Text key={note} size="xs" c="dimmed">
          {note}
        </Text>
      ))}
    </>
  );
}

const columnsAt = (now: number, isOwn: boolean): Column<Entry>[] => [
  { title: 'Date', place: 'lead', cell: ({ at }) => <span className="number">{formatPast(at, now)}</span> },
  { title: 'Type', cell: ({ type }) => <Badge color={types[type].color}>{types[type].title}</Badge> },
  { title: 'Description', place: 'wide', cell: (entry) => <Description entry={entry} now={now} isOwn={isOwn} /> },
  { title: 'Request', cell: ({ requestId }) => requestId && <span className="mono">{requestId.slice(0, 13)}…</span> },
  {
    title: 'Credits',
    place: 'end',
    cell: ({ credits }) => (credits > 0 ? `+${formatCredits(credits)}` : signed(credits)),
  },
  { title: 'Balance', place: 'end', cell: ({ balance }) => formatCredits(balance) },
];

/** Interval for reloading a list while its newest entries are still being written, in ms. */
export const behindPollMs = 1000;

interface LedgerTableProps {
  readonly entries: readonly Entry[];
  /** Whether the account is the user's, whose payments the billing page shows. */
  readonly isOwn?: boolean;
}

export function LedgerTable({ entries, isOwn = false }: LedgerTableProps) {
  const now = useNow();
  return (
    <DataTable
      caption="Credit history, newest first"
      columns={columnsAt(now, isOwn)}
      rows={entries}
      idOf={({ seq }) => seq}
    />
  );
}

const signed = (credits: number): string => (credits < 0 ? `−${formatCredits(-credits)}` : '0');
