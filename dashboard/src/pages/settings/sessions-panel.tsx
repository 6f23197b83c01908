import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { SessionList } from '#contract/accounts/accounts.ts';
import { signInRoutes } from '#contract/routes/sign-in.ts';
import { otherSessions } from '#contract/shared/limits.ts';
import { useAction } from '../../api/actions.ts';
import { perform } from '../../api/call.ts';
import { useNow } from '../../api/config.ts';
import { useSessions } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';
import { type Column, DataTable } from '../../components/tables.tsx';
import { formatFromNow, formatMoment } from '../../lib/format.ts';

export function SessionsPanel() {
  const { data, error, refetch } = useSessions();
  const now = useNow();
  const end = useAction(
    (id: string) => perform(signInRoutes.endSession, { path: { id } }).then(() => id),
    [signInRoutes.listSessions],
  );
  const others = data?.filter(({ current }) => !current) ?? [];
  async function signOut(id: string): Promise<void> {
    if ((await end.run(id)) === undefined) return;
    notify({ message: id === otherSessions ? 'All other sessions signed out.' : 'Session signed out.' });
  }

  const columns: Column<Session>[] = [
    {
      title: 'Device',
      place: 'lead',
      cell: (session) => (
        <Group gap="xs">
          <Text inherit fw={600}>
            {deviceTitle(session)}
          </Text>
          {session.current && <Badge>This session</Badge>}
        </Group>
      ),
    },
    { title: 'Location', cell: placeTitle },
    { title: 'Signed in', cell: ({ createdAt }) => formatMoment(createdAt) },
    {
      title: 'Last used',
      cell: ({ lastSeenAt, current }) => (current ? 'just now' : formatFromNow(lastSeenAt, now)),
    },
    {
      title: 'Actions',
      place: 'corner',
      cell: (session) =>
        !session.current && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={end.isRunning}
            aria-label={`Sign out ${deviceTitle(session)}, signed in ${formatMoment(session.createdAt)}`}
            onClick={() => void signOut(session.id)}
          >
            Sign out
          </Button>
        ),
    },
  ];
  return (
    <Panel
      title="Sessions"
      aside={
        others.length > 0 && (
          <Button variant="default" loading={end.isRunning} onClick={() => void signOut(otherSessions)}>
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

type Session = InferOutput<typeof SessionList>[number];

const countries = new Intl.DisplayNames('en-GB', { type: 'region' });

/** Browser and system, as far as known: "Firefox on Windows". */
function deviceTitle({ browser, system }: Session): string {
  if (browser === null) return system === null ? 'Unknown device' : `Unknown browser on ${system}`;
  return system === null ? browser : `${browser} on ${system}`;
}

function placeTitle({ country, isLocal }: Session): string {
  if (isLocal) return 'This machine';
  return (country !== null && /^[A-Z]{2}$/.test(country) && countries.of(country)) || 'Unknown location';
}
