import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Box, Button, Group, NativeSelect, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import type * as v from 'valibot';
import { NewInvitation } from '#contract/organizations/organizations.ts';
import { mayAccess, type OrganizationRole } from '#contract/organizations/roles.ts';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { useAction } from '../../api/actions.ts';
import { call, perform } from '../../api/call.ts';
import { useNow } from '../../api/config.ts';
import { useApiForm } from '../../api/form.ts';
import type { OrganizationRecord } from '../../api/organizations.ts';
import { useData } from '../../api/reads.ts';
import { toApiError } from '../../api/response.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';
import { type Column, DataTable, Name } from '../../components/tables.tsx';
import { rescueFocus } from '../../lib/focus.ts';
import { formatFromNow } from '../../lib/format.ts';
import { grantableBy, refusalText, roleLabel, roleTitles } from '../../lib/roles.ts';
import { besideButton } from './members-panel.tsx';

type Invitation = v.InferOutput<typeof organizationRoutes.listInvitations.output>['items'][number];

export function InvitationsPanel({ organization }: { organization: OrganizationRecord }) {
  const { id, name, role } = organization;
  const mayInvite = mayAccess('manage', role);
  const { data, error, refetch } = useData(
    organizationRoutes.listInvitations,
    { path: { id } },
    { enabled: mayInvite },
  );
  return (
    <Panel title={t`Invitations`}>
      <Stack gap="md">
        {mayInvite ? (
          <InvitationForm organization={organization} />
        ) : (
          <Text size="sm" c="dimmed">
            {refusalText(
              role,
              'manage',
              t({ message: 'invite and remove members', comment: 'After “Only owners and admins can”' }),
              name,
            )}
          </Text>
        )}
        {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && mayInvite && <Skeleton height={60} radius="md" />}
        {data && data.items.length > 0 && <InvitationTable id={id} invitations={data.items} />}
      </Stack>
    </Panel>
  );
}

/** Aligned with the inputs, below their labels. */
const submitTop = { base: 0, sm: 22 };

function InvitationForm({ organization: { id, role } }: { organization: OrganizationRecord }) {
  const initial: { email: string; role: OrganizationRole } = { email: '', role: 'developer' };
  const { form, submit, isRunning, error } = useApiForm({
    initial: { ...initial },
    schema: NewInvitation,
    labels: { email: t`Email`, role: t`Role` },
    act: (body) => call(organizationRoutes.createInvitation, { path: { id }, body }),
    onDone: ({ email }) => {
      form.setFieldValue('email', '');
      notify({ message: t`Invitation sent to ${email}.` });
    },
    invalidates: [organizationRoutes.listInvitations],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-start" gap="sm">
        <TextInput label={t`Email`} type="email" autoComplete="off" flex="1 1 14rem" {...form.getInputProps('email')} />
        <NativeSelect
          label={t`Role`}
          data={grantableBy(role).map((value) => ({ value, label: roleLabel(value) }))}
          flex="1 1 14rem"
          {...form.getInputProps('role')}
        />
        <Button type="submit" loading={isRunning} mt={submitTop}>
          <Trans>Invite</Trans>
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mt="xs">
        <Trans>We send a link that works for 7 days, for this email only.</Trans>
      </Text>
      {error && <ErrorNotice error={error} />}
    </form>
  );
}

function InvitationTable({ id, invitations }: { id: string; invitations: readonly Invitation[] }) {
  const now = useNow();
  const { run, isRunning } = useAction(
    ({ id: invitationId }: Invitation) =>
      perform(organizationRoutes.withdrawInvitation, { path: { id, invitationId } }).then(
        () => true,
        (error: unknown) => {
          notify({ message: toApiError(error).message, color: 'red' });
          throw error;
        },
      ),
    [organizationRoutes.listInvitations],
  );

  async function withdraw(invitation: Invitation): Promise<void> {
    if ((await run(invitation)) === undefined) return;
    notify({ message: t`Invitation of ${{ email: invitation.email }} withdrawn.` });
    rescueFocus();
  }

  const columns: Column<Invitation>[] = [
    {
      title: t`Email`,
      place: 'lead',
      cell: ({ email }) => (
        <Box pe={besideButton}>
          <Name>{email}</Name>
        </Box>
      ),
    },
    { title: t`Role`, cell: ({ role }) => roleTitles[role] },
    { title: t`Expires`, cell: ({ expiresAt }) => formatFromNow(expiresAt, now) },
    {
      title: t`Actions`,
      place: 'corner',
      cell: (invitation) => (
        <Button
          size="compact-sm"
          variant="default"
          disabled={isRunning}
          aria-label={t`Withdraw the invitation of ${{ email: invitation.email }}`}
          onClick={() => void withdraw(invitation)}
        >
          <Trans>Withdraw</Trans>
        </Button>
      ),
    },
  ];
  return (
    <DataTable
      caption={t({ message: 'Open invitations', comment: 'Those that nobody has accepted yet' })}
      columns={columns}
      rows={invitations}
      idOf={({ id }) => id}
    />
  );
}
