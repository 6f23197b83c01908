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
import { grantableBy, refusalText, roleTexts, roleTitles } from '../../lib/roles.ts';
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
    <Panel title="Invitations">
      <Stack gap="md">
        {mayInvite ? (
          <InvitationForm organization={organization} />
        ) : (
          <Text size="sm" c="dimmed">
            {refusalText(role, 'manage', 'invite and remove members', name)}
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
    labels: { email: 'Email', role: 'Role' },
    act: (body) => call(organizationRoutes.createInvitation, { path: { id }, body }),
    onDone: ({ email }) => {
      form.setFieldValue('email', '');
      notify({ message: `Invitation sent to ${email}.` });
    },
    invalidates: [organizationRoutes.listInvitations],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-start" gap="sm">
        <TextInput label="Email" type="email" autoComplete="off" flex="1 1 14rem" {...form.getInputProps('email')} />
        <NativeSelect
          label="Role"
          data={grantableBy(role).map((value) => ({ value, label: `${roleTitles[value]}: ${roleTexts[value]}` }))}
          flex="1 1 14rem"
          {...form.getInputProps('role')}
        />
        <Button type="submit" loading={isRunning} mt={submitTop}>
          Invite
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mt="xs">
        We send a link that works for 7 days, for this email only.
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
    notify({ message: `Invitation of ${invitation.email} withdrawn.` });
    rescueFocus();
  }

  const columns: Column<Invitation>[] = [
    {
      title: 'Email',
      place: 'lead',
      cell: ({ email }) => (
        <Box pr={besideButton}>
          <Name>{email}</Name>
        </Box>
      ),
    },
    { title: 'Role', cell: ({ role }) => roleTitles[role] },
    { title: 'Expires', cell: ({ expiresAt }) => formatFromNow(expiresAt, now) },
    {
      title: 'Actions',
      place: 'corner',
      cell: (invitation) => (
        <Button
          size="compact-sm"
          variant="default"
          disabled={isRunning}
          aria-label={`Withdraw the invitation of ${invitation.email}`}
          onClick={() => void withdraw(invitation)}
        >
          Withdraw
        </Button>
      ),
    },
  ];
  return <DataTable caption="Open invitations" columns={columns} rows={invitations} idOf={({ id }) => id} />;
}
