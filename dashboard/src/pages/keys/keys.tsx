import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Anchor, Badge, Box, Button, Progress, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import type { LimitPeriod } from '#contract/shared/limits.ts';
import { dayMs } from '#contract/shared/time.ts';
import { useNow } from '../../api/config.ts';
import { isPlaygroundKey, type KeyRecord } from '../../api/keys.ts';
import { useMembers } from '../../api/members.ts';
import { useKeys, useMe } from '../../api/reads.ts';
import { Unconfirmed } from '../../components/emails.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { LateMenu, type MenuButton } from '../../components/overlays.tsx';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { Allowed, RoleNotice, useRefusal } from '../../components/roles.tsx';
import { type Column, DataTable, Name } from '../../components/tables.tsx';
import { creditCount, formatCredits, formatDay, formatFromNow, formatItems } from '../../lib/format.ts';
import { useQuery, useQueryChoice } from '../../lib/hooks.ts';
import { lateDialog, orReload } from '../../lib/load.ts';
import { serviceTitle } from '../../lib/offer.ts';

const NewKeyDialog = lateDialog(async () => (await import('./key-dialogs.tsx')).NewKeyDialog);
const skeletons = ['a', 'b', 'c'];

export default function KeysPage() {
  const keyChanges = {
    access: 'develop',
    what: t({
      message: 'create, change and revoke API keys',
      comment: 'After “Only owners, admins and developers can”',
    }),
  } as const;
  const { data: keys, error, refetch } = useKeys();
  const { data: me } = useMe();
  const [query, change] = useQuery();
  const [isCreating, creation] = useDisclosure(false);
  const refusal = useRefusal(keyChanges);
  const wantsNew = query.has('new') && refusal === undefined;
  useEffect(() => {
    if (wantsNew) creation.open();
  }, [wantsNew, creation.open]);
  const [shown, setShown] = useQueryChoice('show', ['current', 'all']);
  const current = keys?.filter((key) => !isPlaygroundKey(key) && (shown === 'all' || !isEnded(key.status)));
  const newKey = (
    <Allowed {...keyChanges}>
      <Button leftSection={<Icon name="plus" />} onClick={creation.open}>
        <Trans>Create API key</Trans>
      </Button>
    </Allowed>
  );

  function close(): void {
    creation.close();
    change({ new: undefined });
  }

  return (
    <Page
      title={t`API keys`}
      lead={t`Use API keys to call the API from your programs. Create one key per program, keep keys out of code, and rotate them.`}
      actions={newKey}
    >
      <Stack gap="lg">
        {me?.isConfirmed === false && <Unconfirmed email={me.email} />}
        <RoleNotice {...keyChanges} />
        <Panel
          title={t`Your keys`}
          aside={
            <Switch
              label={t`Show revoked and expired`}
              size="sm"
              checked={shown === 'all'}
              onChange={(event) => setShown(event.currentTarget.checked ? 'all' : null)}
            />
          }
        >
          {error && !keys && <ErrorNotice error={error} onRetry={() => void refetch()} />}
          {!keys && !error && skeletons.map((id) => <Skeleton key={id} height={44} my="xs" />)}
          {current?.length === 0 && (
            <Empty icon="keys" title={t`No API keys yet`} action={newKey}>
              <Trans>Create a key and call the API with it. The API reference has examples to copy.</Trans>
            </Empty>
          )}
          {current && current.length > 0 && (
            <KeyTable
              keys={current}
              actions={(key) => (
                <Allowed {...keyChanges}>
                  <KeyMenu apiKey={key} />
                </Allowed>
              )}
              current={query.get('key')}
            />
          )}
        </Panel>
        <Text size="sm" c="dimmed">
          <Trans>
            Revoked and suspended keys are rejected immediately. See the credits spent by each key under{' '}
            <Anchor component={Link} href="/usage" inherit underline="always">
              Usage
            </Anchor>
            .
          </Trans>
        </Text>
      </Stack>
      <NewKeyDialog isOpen={isCreating} onClose={close} />
    </Page>
  );
}

const load = orReload(() => import('./key-popup.tsx'));
const KeyPopup = lazy(load);

function KeyMenu({ apiKey }: { apiKey: KeyRecord }) {
  if (isEnded(apiKey.status)) return null;
  const button: MenuButton = (props) => (
    <ActionIcon {...props} variant="subtle" color="gray" size="lg" aria-label={t`Actions for ${{ name: apiKey.name }}`}>
      <Icon name="more" />
    </ActionIcon>
  );
  return (
    <LateMenu load={load} button={button} menu={(props) => <KeyPopup apiKey={apiKey} button={button} {...props} />} />
  );
}

const isEnded = (status: string): boolean => status === 'revoked' || status === 'expired';

interface KeyTableProps {
  readonly keys: readonly KeyRecord[];
  readonly actions: (key: KeyRecord) => ReactNode;
  /** Id of the key in the URL, to be highlighted. */
  readonly current?: string | null;
}

export function KeyTable({ keys, actions, current }: KeyTableProps) {
  const now = useNow();
  const columns: Column<KeyRecord>[] = [
    { title: t`Name`, place: 'lead', cell: (key) => <NameOfKey {...key} /> },
    { title: t`Status`, cell: ({ status }) => <KeyStatusBadge status={status} /> },
    {
      title: t`Key`,
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
      title: t`Last used`,
      cell: (key) =>
        isNever(key, key.lastUsedAt)
          ? t({ message: 'Never', context: 'last use' })
          : formatFromNow(key.lastUsedAt ?? '', now),
    },
    ...(keys.some(isLimited)
      ? [{ title: t`Limits`, cell: (key: KeyRecord) => <KeyLimit apiKey={key} now={now} /> }]
      : []),
    {
      title: t`Expires`,
      cell: (key) =>
        isNever(key, key.expiresAt) ? t({ message: 'Never', context: 'expiry' }) : expiry(key.expiresAt ?? '', now),
    },
    { title: t`Created`, cell: (key) => <Created apiKey={key} /> },
    { title: t`Actions`, place: 'corner', cell: actions },
  ];
  return <DataTable caption={t`API keys`} columns={columns} rows={keys} idOf={({ id }) => id} current={current} />;
}

/** Says which keys store prompts and responses, because members may not expect it. */
function NameOfKey({ name, contentDays }: KeyRecord) {
  return (
    <>
      <Name>{name}</Name>
      {contentDays !== null && (
        <Text size="xs" c="dimmed">
          {plural(contentDays, {
            one: 'Prompts and responses are stored for # day',
            other: 'Prompts and responses are stored for # days',
          })}
        </Text>
      )}
    </>
  );
}

/** Day of the creation and, in an organization with other members, the member. */
function Created({ apiKey: { createdAt, createdBy } }: { apiKey: KeyRecord }) {
  const { data: members } = useMembers();
  const name = members?.items.find(({ userId }) => userId === createdBy)?.name;
  return (
    <>
      {formatDay(createdAt ?? '')}
      {members && createdBy !== null && (
        <Text size="xs" c="dimmed" truncate title={name} style={{ contain: 'inline-size' }}>
          {name ? (
            <Trans>
              by <bdi>{name}</bdi>
            </Trans>
          ) : (
            <Trans>by a former member</Trans>
          )}
        </Text>
      )}
    </>
  );
}

const isLimited = ({ limit, models, services }: KeyRecord): boolean => (limit ?? models ?? services) !== null;

/** No date means never, except for a key whose stored record is unreadable. */
const isNever = ({ status }: KeyRecord, date: string | null): boolean => date === null && status !== 'unreadable';

const expiry = (iso: string, now: number): string =>
  Math.abs(Date.parse(iso) - now) < 30 * dayMs ? formatFromNow(iso, now) : formatDay(iso);

function KeyLimit({ apiKey: { limit, models, services }, now }: { apiKey: KeyRecord; now: number }) {
  const lists = [...(models ?? []), ...(services ?? []).map(serviceTitle)];
  if (!limit && lists.length === 0) return '–';
  return (
    <Stack gap={4} miw={112} maw={220}>
      {limit && <Spent limit={limit} now={now} />}
      {lists.length > 0 && (
        <Text size="xs">
          <Trans>Only {{ names: formatItems(lists) }}</Trans>
        </Text>
      )}
    </Stack>
  );
}

function Spent({ limit, now }: { limit: NonNullable<KeyRecord['limit']>; now: number }) {
  const { credits, used, period, resetsAt } = limit;
  const share = Math.min(100, (100 * used) / credits);
  return (
    <>
      <span className="number">{spentText(formatCredits(used), creditCount(credits), period)}</span>
      <Progress
        value={share}
        size={5}
        aria-label={t`Used: ${{ percent: Math.round(share) }}%`}
        color={share >= 90 ? 'red.6' : 'pine'}
      />
      {resetsAt && (
        <Text size="xs" c="dimmed">
          <Trans>Resets {{ when: formatFromNow(resetsAt, now) }}</Trans>
        </Text>
      )}
    </>
  );
}

/** "3.5 of 10 credits per day". */
function spentText(used: string, limit: string, period: LimitPeriod): string {
  if (period === 'day') return t`${used} of ${limit} per day`;
  return period === 'month' ? t`${used} of ${limit} per month` : t`${used} of ${limit}`;
}

const statuses: ReadonlyMap<string, readonly [color: string, label: MessageDescriptor]> = new Map([
  ['active', ['pine', msg({ message: 'Active', context: 'API key' })]],
  ['suspended', ['yellow.8', msg({ message: 'Suspended', context: 'API key' })]],
  ['revoked', ['gray', msg({ message: 'Revoked', context: 'API key' })]],
  ['expired', ['gray', msg({ message: 'Expired', context: 'API key' })]],
  ['unreadable', ['red.8', msg({ message: 'Unreadable', context: 'API key' })]],
]);

/** An unknown status is shown unchanged. */
function KeyStatusBadge({ status }: { status: string }) {
  const [color, label] = statuses.get(status) ?? ['gray'];
  return <Badge color={color}>{label ? i18n._(label) : status.slice(0, 1).toUpperCase() + status.slice(1)}</Badge>;
}
