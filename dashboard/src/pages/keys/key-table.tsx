import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { useNow } from '../../api/clock.ts';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { Name } from '../../components/tables/name.tsx';
import { formatDay, formatFromNow } from '../../lib/format.ts';
import { KeyLimit } from './key-limit.tsx';
import { KeyStatusBadge } from './key-status-badge.tsx';

interface KeyTableProps {
  readonly keys: readonly KeyRecord[];
  /** What can be done with a key. */
  readonly actions: (key: KeyRecord) => ReactNode;
  /** Id of the key that the URL points to. */
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

/** No date means never, unless nothing of the key can be read. */
const isNever = ({ status }: KeyRecord, date: string | null): boolean => date === null && status !== 'unreadable';

const expiry = (iso: string, now: number): string =>
  Math.abs(Date.parse(iso) - now) < 30 * 86_400_000 ? formatFromNow(iso, now) : formatDay(iso);
