import { Badge, Box, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useNow } from '../../api/config.ts';
import type { KeyRecord } from '../../api/keys.ts';
import { type Column, DataTable, Name } from '../../components/tables.tsx';
import { creditCount, formatCredits, formatDay, formatFromNow } from '../../lib/format.ts';
import { serviceTitle } from '../../lib/names.ts';

interface KeyTableProps {
  readonly keys: readonly KeyRecord[];
  readonly actions: (key: KeyRecord) => ReactNode;
  /** Id of the key in the URL, to be highlighted. */
  readonly current?: string | null;
}

export function KeyTable({ keys, actions, current }: KeyTableProps) {
  const now = useNow();
  const columns: Column<KeyRecord>[] = [
    { title: 'Name', place: 'lead', cell: ({ name }) => <Name>{name}</Name> },
    { title: 'Status', cell: ({ status }) => <KeyStatusBadge status={status} /> },
    {
      title: 'Key',
      place: 'wide',
      cell: ({ prefix, lastFour }) =>
        prefix + lastFour === '' ? (
          '–'
        ) : (
          <Box component="span" className="mono" display="inline-block" miw={100} style={{ overflowWrap: 'anywhere' }}>
            {prefix}…{lastFour}
          </Box>
        ),
    },
    {
      title: 'Last used',
      cell: (key) => (isNever(key, key.lastUsedAt) ? 'Never' : formatFromNow(key.lastUsedAt ?? '', now)),
    },
    ...(keys.some(isLimited)
      ? [{ title: 'Limits', cell: (key: KeyRecord) => <KeyLimit apiKey={key} now={now} /> }]
      : []),
    { title: 'Expires', cell: (key) => (isNever(key, key.expiresAt) ? 'Never' : expiry(key.expiresAt ?? '', now)) },
    { title: 'Created', cell: ({ createdAt }) => formatDay(createdAt ?? '') },
    { title: 'Actions', place: 'corner', cell: actions },
  ];
  return <DataTable caption="API keys" columns={columns} rows={keys} idOf={({ id }) => id} current={current} />;
}

const isLimited = ({ limit, models, services }: KeyRecord): boolean => (limit ?? models ?? services) !== null;

/** No date means never, except for a key whose stored record is unreadable. */
const isNever = ({ status }: KeyRecord, date: string | null): boolean => date === null && status !== 'unreadable';

const expiry = (iso: string, now: number): string =>
  Math.abs(Date.parse(iso) - now) < 30 * 86_400_000 ? formatFromNow(iso, now) : formatDay(iso);

const per = { day: ' per day', month: ' per month', total: '' } as const;

function KeyLimit({ apiKey: { limit, models, services }, now }: { apiKey: KeyRecord; now: number }) {
  const lists = [...(models ?? []), ...(services ?? []).map(serviceTitle)];
  if (!limit && lists.length === 0) return '–';
  return (
    <Stack gap={4} miw={112} maw={220}>
      {limit && <Spent limit={limit} now={now} />}
      {lists.length > 0 && <Text size="xs">Only {lists.join(', ')}</Text>}
    </Stack>
  );
}

function Spent({ limit, now }: { limit: NonNullable<KeyRecord['limit']>; now: number }) {
  const { credits, used, period, resetsAt } = limit;
  const share = Math.min(100, (100 * used) / credits);
  return (
    <>
      <span className="number">
        {formatCredits(used)} of {creditCount(credits)}
        {per[period]}
      </span>
      <Progress
        value={share}
        size={5}
        aria-label={`Used: ${Math.round(share)}%`}
        color={share >= 90 ? 'red.6' : 'pine'}
      />
      {resetsAt && (
        <Text size="xs" c="dimmed">
          Resets {formatFromNow(resetsAt, now)}
        </Text>
      )}
    </>
  );
}

const colors: ReadonlyMap<string, string> = new Map([
  ['active', 'pine'],
  ['suspended', 'yellow.8'],
  ['unreadable', 'red.8'],
]);

/** An unknown status is shown unchanged. */
function KeyStatusBadge({ status }: { status: string }) {
  const word = status.slice(0, 1).toUpperCase() + status.slice(1);
  return <Badge color={colors.get(status) ?? 'gray'}>{word}</Badge>;
}
