import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { InferOutput } from 'valibot';
import type { SessionList } from '#contract/accounts/accounts.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { perform } from '../../api/call.ts';
import { useNow } from '../../api/clock.ts';
import { useSessions } from '../../api/reads.ts';
import { useAction } from '../../api/use-data.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatFromNow, formatMoment } from '../../lib/format.ts';

type Session = InferOutput<typeof SessionList>[number];

/** Where the account is signed in; this browser is ended by signing out. */
export function SessionsPanel() {
  const { data, error, refetch } = useSessions();
  const now = useNow();
  const end = useAction(
    (ids: readonly string[]) =>
      Promise.all(ids.map((id) => perform(accountRoutes.endSession, { path: { id } }))).then((ended) => ended.length),
    [accountRoutes.listSessions],
  );
  const others = data?.filter(({ current }) => !current) ?? [];
  const endAll = (ids: readonly string[]) =>
    void end
      .run(ids)
      .then(
        (ended) =>
          ended && notifications.show({ message: ended === 1 ? 'Session signed out.' : 'Sessions signed out.' }),
      );

  const columns: Column<Session>[] = [
    {
      title: 'Signed in',
      place: 'lead',
      cell: ({ createdAt, current }) => (
        <Group gap="xs">
          <Text inherit fw={600}>
            {formatMoment(createdAt)}
          </Text>
          {current && <Badge>This browser</Badge>}
        </Group>
      ),
    },
    { title: 'Last seen', cell: ({ lastSeenAt }) => formatFromNow(lastSeenAt, now) },
    { title: 'Expires', cell: ({ expiresAt }) => formatFromNow(expiresAt, now) },
    {
      title: 'Actions',
      place: 'corner',
      cell: ({ id, current }) =>
        !current && (
          <Button size="compact-sm" variant="default" onClick={() => endAll([id])}>
            Sign out
          </Button>
        ),
    },
  ];
  return (
    <Panel
      title="Sessions"
      aside={
        others.length > 1 && (
          <Button variant="default" loading={end.isRunning} onClick={() => endAll(others.map(({ id }) => id))}>
            Sign out all others
          </Button>
        )
      }
    >
      {(error && !data) || end.error ? (
        <ErrorNotice error={end.error ?? error} onRetry={() => void refetch()} />
      ) : (
        !data && <Skeleton height={90} radius="md" />
      )}
      {data && <DataTable caption="Sessions" columns={columns} rows={data} idOf={({ id }) => id} />}
    </Panel>
  );
}
