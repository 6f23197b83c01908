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
import { type DialogProps, Modal } from '../../components/dialogs.tsx';
import { FormFoot, Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { switchOrganization } from '../../components/switch-organization.ts';
import { rescueFocus } from '../../lib/focus.ts';
import { grantableBy, roleTexts, roleTitles } from '../../lib/roles.ts';

interface OrganizationDialogProps extends DialogProps {
  readonly organization: OrganizationRecord;
}

export function NewOrganizationDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create organization">
      <NewOrganizationForm />
    </Modal>
  );
}

function NewOrganizationForm() {
  const once = useOnce();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '' },
    schema: NewOrganization,
    labels: { name: 'Name' },
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
          You become its owner. It has its own credits, plan and API keys. Nothing of your personal organization is
          shared.
        </Text>
        <TextInput label="Name" autoComplete="organization" data-autofocus {...form.getInputProps('name')} />
        <FormFoot error={error} isRunning={isRunning}>
          Create
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
    <Modal opened={isOpen} onClose={onClose} title={isSelf ? `Leave ${organization.name}?` : `Remove ${member.name}?`}>
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
    if (isSelf) await leaveOrganization(`You left ${name}. This is your personal organization.`);
    return true;
  }, [organizationRoutes.listMembers]);

  async function remove(): Promise<void> {
    if (!(await run(undefined))) return;
    notify({ message: `${member.name} is no longer a member.` });
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
            ? 'You lose access immediately. To return, you need a new invitation.'
            : `${member.email} loses access immediately.`}
        </Text>
        <Checkbox
          label={isSelf ? 'Revoke the API keys that I created' : 'Revoke the API keys that this member created'}
          description="Otherwise programs that use these keys continue to work."
          checked={revokesKeys}
          onChange={({ currentTarget }) => setRevokesKeys(currentTarget.checked)}
        />
        <FormFoot error={error} isRunning={isRunning} color="red.8">
          {isSelf ? 'Leave organization' : 'Remove member'}
        </FormFoot>
      </Stack>
    </form>
  );
}

export function TransferDialog({ organization, isOpen, onClose }: OrganizationDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Transfer ownership">
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
    labels: { to: 'New owner' },
    act: async ({ to, role }) => {
      const owner = await setRole(to, 'owner');
      await setRole(String(self), role);
      return owner;
    },
    onDone: (owner, { role }) => {
      notify({ message: `${owner.name} is now an owner, and you are ${roleTitles[role].toLowerCase()}.` });
      onDone();
      rescueFocus();
    },
    invalidates: [organizationRoutes.listMembers, organizationRoutes.listOrganizations],
  });
  if (data && !first) return <Text size="sm">Invite the new owner first. You are the only member.</Text>;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <NativeSelect
          label="New owner"
          data={others.map(({ userId, name, email }) => ({ value: String(userId), label: `${name} (${email})` }))}
          data-autofocus
          {...form.getInputProps('to')}
        />
        <NativeSelect
          label="Your role after the transfer"
          data={roles.map((value) => ({ value, label: `${roleTitles[value]}: ${roleTexts[value]}` }))}
          {...form.getInputProps('role')}
        />
        <Notice tone="warning">Only an owner can undo this. Other owners keep their role.</Notice>
        <FormFoot error={error} isRunning={isRunning} color="red.8">
          Transfer ownership
        </FormFoot>
      </Stack>
    </form>
  );
}

export function DeleteDialog({ organization, isOpen, onClose }: OrganizationDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={`Delete ${organization.name}?`}>
      <DeleteForm organization={organization} />
    </Modal>
  );
}

function DeleteForm({ organization: { id, name } }: { organization: OrganizationRecord }) {
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '' },
    schema: v.object({ name: v.literal(name, 'does not match') }),
    labels: { name: 'Name' },
    act: async () => {
      await perform(organizationRoutes.deleteOrganization, { path: { id } });
      await leaveOrganization(`${name} is deleted. This is your personal organization.`);
    },
    onDone: () => undefined,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Notice tone="warning">
          This cannot be undone. All members lose access, API keys stop working, and remaining credits are lost.
        </Notice>
        <TextInput
          label="Type the organization’s name to confirm"
          placeholder={name}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <FormFoot error={error} isRunning={isRunning} color="red.8">
          Delete organization permanently
        </FormFoot>
      </Stack>
    </form>
  );
}
