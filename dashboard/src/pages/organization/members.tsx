import { select, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Box, Button, NativeSelect, Skeleton, Text, Group, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type * as v from 'valibot';
import { NewInvitation } from '#contract/organizations/organizations.ts';
import { mayAccess, type OrganizationRole } from '#contract/organizations/roles.ts';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { documentAccount } from '../../api/account.ts';
import { useAction } from '../../api/actions.ts';
import { call, perform } from '../../api/call.ts';
import { useNow } from '../../api/config.ts';
import { useApiForm } from '../../api/form.ts';
import { type Member, useMembers } from '../../api/members.ts';
import type { OrganizationRecord } from '../../api/organizations.ts';
import { useData } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify, notifyError } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';
import { grantableBy, mayChange, roleTitles, refusalText, roleLabel } from '../../components/roles.tsx';
import { type Column, DataTable, Name } from '../../components/tables.tsx';
import { rescueFocus } from '../../lib/focus.ts';
import { formatDay, formatFromNow } from '../../lib/format.ts';
import { lateDialog } from '../../lib/load.ts';

const RemovalDialog = lateDialog(async () => (await import('./organization-dialogs.tsx')).RemovalDialog);

/** On a phone, the row's button is next to the name. */
export const besideButton = { base: '3rem', sm: 0 };

export function MembersPanel({ organization }: { organization: OrganizationRecord }) {
  const { data, error, refetch } = useMembers();
  const members = data?.items ?? [];
  const isOnlyOwner = organization.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1;
  const columns: Column<Member>[] = [
    {
      title: t`Member`,
      place: 'lead',
      cell: ({ name, email, userId }) => (
        <Box pe={besideButton}>
          <Name>{userId === documentAccount() ? t`${name} (you)` : name}</Name>
          <Text size="xs" c="dimmed" truncate title={email} style={{ contain: 'inline-size' }}>
            {email}
          </Text>
        </Box>
      ),
    },
    {
      title: t`Role`,
      cell: (member) => <RoleCell organization={organization} member={member} isOnlyOwner={isOnlyOwner} />,
    },
    { title: t`Sign-in`, place: 'wide', cell: signInOf },
    { title: t`Joined`, place: 'wide', cell: ({ joinedAt }) => formatDay(joinedAt) },
    {
      title: t`Actions`,
      place: 'corner',
      cell: (member) => <RemoveButton organization={organization} member={member} isOnlyOwner={isOnlyOwner} />,
    },
  ];
  return (
    <Panel title={t`Members`}>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={120} radius="md" />}
      {data && <DataTable caption={t`Members`} columns={columns} rows={members} idOf={({ userId }) => userId} />}
      {isOnlyOwner && members.length > 1 && (
        <Text size="sm" c="dimmed" mt="sm">
          <Trans>You are the only owner. To leave or change your role, transfer the ownership first.</Trans>
        </Text>
      )}
    </Panel>
  );
}

function signInOf({ hasSecondFactor, hasPasskey }: Member): string {
  if (hasSecondFactor) return t`Authenticator app`;
  return hasPasskey ? t`Passkey` : t`Password only`;
}

interface CellProps {
  readonly organization: OrganizationRecord;
  readonly member: Member;
  readonly isOnlyOwner: boolean;
}

function RoleCell({ organization, member, isOnlyOwner }: CellProps) {
  const { id, role } = organization;
  const isSelf = member.userId === documentAccount();
  const { run, isRunning } = useAction(
    async (next: OrganizationRole) => {
      const path = { id, userId: String(member.userId) };
      return call(organizationRoutes.changeMember, { path, body: { role: next } }).catch((error: unknown) => {
        notifyError(error);
        throw error;
      });
    },
    [organizationRoutes.listMembers, organizationRoutes.listOrganizations],
  );
  const roles = grantableBy(role);
  if (!mayChange(role, member.role) || (isSelf && isOnlyOwner)) return roleTitles[member.role];

  async function change(next: OrganizationRole | undefined): Promise<void> {
    if (next === undefined) return;
    if (!(await run(next))) return;
    const { name } = member;
    notify({
      message: t`${name} is now ${select(next, { owner: 'owner', admin: 'admin', developer: 'developer', billing: 'billing', other: 'viewer' })}.`,
    });
  }

  return (
    <NativeSelect
      aria-label={t`Role of ${{ name: member.name }}`}
      value={member.role}
      disabled={isRunning}
      data={roles.map((value) => ({ value, label: roleTitles[value] }))}
      onChange={({ currentTarget }) => void change(roles.find((one) => one === currentTarget.value))}
      w="9rem"
    />
  );
}

function RemoveButton({ organization, member, isOnlyOwner }: CellProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const isSelf = member.userId === documentAccount();
  if (!isSelf && (!mayAccess('manage', organization.role) || !mayChange(organization.role, member.role))) return null;
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        disabled={isSelf && isOnlyOwner}
        title={isSelf && isOnlyOwner ? t`The only owner cannot leave.` : undefined}
        aria-label={isSelf ? t`Leave ${{ name: organization.name }}` : t`Remove ${{ name: member.name }}`}
        onClick={open}
      >
        {isSelf ? t`Leave` : t`Remove`}
      </Button>
      <RemovalDialog organization={organization} member={member} isOpen={isOpen} onClose={close} />
    </>
  );
}

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
          notifyError(error);
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
