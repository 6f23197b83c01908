import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
      title={t`Credit history`}
      aside={
        sellsCredits && (
          <Anchor component={Link} href="/billing" size="sm">
            <Trans>Buy credits</Trans>
          </Anchor>
        )
      }
    >
      <PagedList pages={pages} empty={<Empty icon="usage" title={t`No data yet`} />}>
        {(entries) => <LedgerTable entries={entries} isOwn />}
      </PagedList>
    </Panel>
  );
}

const types: Readonly<Record<Entry['type'], { readonly title: MessageDescriptor; readonly color: string }>> = {
  grant: { title: msg({ message: 'Grant', comment: 'Credits that were granted' }), color: 'pine' },
  charge: { title: msg({ message: 'Charge', comment: 'Credits that were spent' }), color: 'gray' },
  refund: { title: msg`Refund`, color: 'pine' },
  expiry: { title: msg`Expiry`, color: 'yellow.8' },
  adjustment: { title: msg`Plan change`, color: 'gray' },
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
          <Trans>View payment</Trans>
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
  { title: t`Date`, place: 'lead', cell: ({ at }) => <span className="number">{formatPast(at, now)}</span> },
  { title: t`Type`, cell: ({ type }) => <Badge color={types[type].color}>{i18n._(types[type].title)}</Badge> },
  { title: t`Description`, place: 'wide', cell: (entry) => <Description entry={entry} now={now} isOwn={isOwn} /> },
  { title: t`Request`, cell: ({ requestId }) => requestId && <span className="mono">{requestId.slice(0, 13)}…</span> },
  {
    title: t`Credits`,
    place: 'end',
    cell: ({ credits }) => (credits > 0 ? `+${formatCredits(credits)}` : signed(credits)),
  },
  { title: t`Balance`, place: 'end', cell: ({ balance }) => formatCredits(balance) },
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
      caption={t`Credit history, newest first`}
      columns={columnsAt(now, isOwn)}
      rows={entries}
      idOf={({ seq }) => seq}
    />
  );
}

const signed = (credits: number): string => (credits < 0 ? `−${formatCredits(-credits)}` : '0');
