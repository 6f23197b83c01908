import { select, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Checkbox, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import * as v from 'valibot';
import { NewOrganization } from '#contract/organizations/organizations.ts';
import type { OrganizationRole } from '#contract/organizations/roles.ts';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { documentAccount } from '../../api/account.ts';
import { useAction, useOnce } from '../../api/actions.ts';
import { call, perform } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { type Member, useMembers } from '../../api/members.ts';
import { leaveOrganization } from '../../api/organization-choice.ts';
import { organizationOf, type OrganizationRecord } from '../../api/organizations.ts';
import { FormFoot, Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { type DialogProps, Modal } from '../../components/overlays.tsx';
import { grantableBy, roleLabel } from '../../components/roles.tsx';
import { switchOrganization } from '../../components/switch-organization.ts';
import { rescueFocus } from '../../lib/focus.ts';

interface OrganizationDialogProps extends DialogProps {
  readonly organization: OrganizationRecord;
}

export function NewOrganizationDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Create organization`}>
      <NewOrganizationForm />
    </Modal>
  );
}

function NewOrganizationForm() {
  const once = useOnce();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '' },
    schema: NewOrganization,
    labels: { name: t`Name` },
    act: async (body) => {
      const created = await once(body, (idempotencyKey) =>
        call(organizationRoutes.createOrganization, { body }, { idempotencyKey }),
      );
      await switchOrganization(organizationOf(created), '/organization');
    },
    onDone: () => undefined,
    invalidates: [organizationRoutes.listOrganizations],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          <Trans>
            You become its owner. It has its own credits, plan and API keys. Nothing of your personal organization is
            shared.
          </Trans>
        </Text>
        <TextInput label={t`Name`} autoComplete="organization" data-autofocus {...form.getInputProps('name')} />
        <FormFoot error={error} isRunning={isRunning}>
          <Trans>Create</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}

/** Removes a member, or leaves the organization. */
export function RemovalDialog({
  organization,
  member,
  isOpen,
  onClose,
}: OrganizationDialogProps & { readonly member: Member }) {
  const isSelf = member.userId === documentAccount();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={isSelf ? t`Leave ${{ name: organization.name }}?` : t`Remove ${{ name: member.name }}?`}
    >
      <RemovalForm organization={organization} member={member} isSelf={isSelf} onDone={onClose} />
    </Modal>
  );
}

interface RemovalFormProps {
  readonly organization: OrganizationRecord;
  readonly member: Member;
  readonly isSelf: boolean;
  readonly onDone: () => void;
}

function RemovalForm({ organization: { id, name }, member, isSelf, onDone }: RemovalFormProps) {
  const [revokesKeys, setRevokesKeys] = useState(false);
  const { run, isRunning, error } = useAction(async () => {
    const path = { id, userId: String(member.userId) };
    await perform(organizationRoutes.removeMember, { path, query: { revokeKeys: revokesKeys ? 'true' : 'false' } });
    if (isSelf) await leaveOrganization(t`You left ${name}. This is your personal organization.`);
    return true;
  }, [organizationRoutes.listMembers]);

  async function remove(): Promise<void> {
    if (!(await run(undefined))) return;
    notify({ message: t`${{ name: member.name }} is no longer a member.` });
    onDone();
    rescueFocus();
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void remove();
      }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {isSelf
            ? t`You lose access immediately. To return, you need a new invitation.`
            : t`${{ email: member.email }} loses access immediately.`}
        </Text>
        <Checkbox
          label={isSelf ? t`Revoke the API keys that I created` : t`Revoke the API keys that this member created`}
          description={t`Otherwise programs that use these keys continue to work.`}
          checked={revokesKeys}
          onChange={({ currentTarget }) => setRevokesKeys(currentTarget.checked)}
        />
        <FormFoot error={error} isRunning={isRunning} color="red.8">
          {isSelf ? t`Leave organization` : t`Remove member`}
        </FormFoot>
      </Stack>
    </form>
  );
}

export function TransferDialog({ organization, isOpen, onClose }: OrganizationDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Transfer ownership`}>
      <TransferForm organization={organization} onDone={onClose} />
    </Modal>
  );
}

/** Promotes the member, then demotes the caller. If only the promotion succeeds, a retry repeats both. */
function TransferForm({ organization, onDone }: { organization: OrganizationRecord; onDone: () => void }) {
  const { id } = organization;
  const self = documentAccount();
  const { data } = useMembers();
  const others = data?.items.filter(({ userId }) => userId !== self) ?? [];
  const [first] = others;
  const roles = grantableBy('admin');
  const setRole = (userId: string, role: OrganizationRole) =>
    call(organizationRoutes.changeMember, { path: { id, userId }, body: { role } });
  const initial: { to: string; role: OrganizationRole } = { to: String(first?.userId ?? ''), role: 'admin' };
  const { form, submit, isRunning, error } = useApiForm({
    initial: { ...initial },
    schema: v.object({ to: v.pipe(v.string(), v.nonEmpty('must not be empty')) }),
    labels: { to: t`New owner` },
    act: async ({ to, role }) => {
      const owner = await setRole(to, 'owner');
      await setRole(String(self), role);
      return owner;
    },
    onDone: (owner, { role }) => {
      const { name } = owner;
      notify({
        message: t`${name} is now an owner, and you are ${select(role, { owner: 'owner', admin: 'admin', developer: 'developer', billing: 'billing', other: 'viewer' })}.`,
      });
      onDone();
      rescueFocus();
    },
    invalidates: [organizationRoutes.listMembers, organizationRoutes.listOrganizations],
  });
  if (data && !first)
    return (
      <Text size="sm">
        <Trans>Invite the new owner first. You are the only member.</Trans>
      </Text>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <NativeSelect
          label={t`New owner`}
          data={others.map(({ userId, name, email }) => ({ value: String(userId), label: `${name} (${email})` }))}
          data-autofocus
          {...form.getInputProps('to')}
        />
        <NativeSelect
          label={t`Your role after the transfer`}
          data={roles.map((value) => ({ value, label: roleLabel(value) }))}
          {...form.getInputProps('role')}
        />
        <Notice tone="warning">
          <Trans>Only an owner can undo this. Other owners keep their role.</Trans>
        </Notice>
        <FormFoot error={error} isRunning={isRunning} color="red.8">
          <Trans>Transfer ownership</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}

export function DeleteDialog({ organization, isOpen, onClose }: OrganizationDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Delete ${{ name: organization.name }}?`}>
      <DeleteForm organization={organization} />
    </Modal>
  );
}

function DeleteForm({ organization: { id, name } }: { organization: OrganizationRecord }) {
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '' },
    schema: v.object({ name: v.literal(name, 'does not match') }),
    labels: { name: t`Name` },
    act: async () => {
      await perform(organizationRoutes.deleteOrganization, { path: { id } });
      await leaveOrganization(t`${name} is deleted. This is your personal organization.`);
    },
    onDone: () => undefined,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Notice tone="warning">
          <Trans>
            This cannot be undone. All members lose access, API keys stop working, and remaining credits are lost.
          </Trans>
        </Notice>
        <TextInput
          label={t`Type the organization’s name to confirm`}
          placeholder={name}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <FormFoot error={error} isRunning={isRunning} color="red.8">
          <Trans>Delete organization permanently</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}
