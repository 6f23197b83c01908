import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import { mayAccess } from '#contract/organizations/roles.ts';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { documentAccount } from '../../api/account.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { type Member, useMembers } from '../../api/members.ts';
import type { OrganizationRecord } from '../../api/organizations.ts';
import { useMe } from '../../api/reads.ts';
import { toApiError } from '../../api/response.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';
import { lateDialog } from '../../lib/load.ts';

const RemovalDialog = lateDialog(async () => (await import('./organization-dialogs.tsx')).RemovalDialog);

/** Whether the organization refuses the person, who can only set up a second factor or leave. */
export function useIsLocked(): boolean {
  const { error } = useMembers();
  return error !== null && toApiError(error).code === 'SECOND_FACTOR_NOT_ENABLED';
}

/** The requirement, which owners change. */
export function SecondFactorPanel({ organization }: { organization: OrganizationRecord }) {
  const { id, name, role, requiresSecondFactor: isRequired } = organization;
  const { run, isRunning, error } = useAction(
    (required: boolean) => call(organizationRoutes.requireSecondFactor, { path: { id }, body: { required } }),
    [organizationRoutes.listOrganizations, organizationRoutes.listMembers],
  );

  async function change(): Promise<void> {
    if (!(await run(!isRequired))) return;
    const message = isRequired
      ? t`${name} no longer requires a second factor.`
      : t`${name} requires a second factor. Members got an email.`;
    notify({ message });
  }

  return (
    <Panel
      title={t`Second factor`}
      aside={isRequired && <Badge color="pine">{t({ message: 'Required', comment: 'State of a rule' })}</Badge>}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          {isRequired
            ? t`Members need an authenticator app, or sign in with a passkey. API keys continue to work.`
            : t`A stolen password is enough to use this organization. With a required second factor, members also need an authenticator app, or sign in with a passkey. Others keep their membership, but lose access until they set one up.`}
        </Text>
        {error && <ErrorNotice error={error} />}
        {error?.code === 'SECOND_FACTOR_NOT_ENABLED' && <SettingsLink />}
        {mayAccess('own', role) && (
          <Button variant="default" loading={isRunning} onClick={() => void change()}>
            {isRequired ? t`No longer require` : t`Require second factor`}
          </Button>
        )}
      </Stack>
    </Panel>
  );
}

const SettingsLink = () => (
  <Anchor component={Link} href="/settings" size="sm">
    <Trans>Set up a second factor</Trans>
  </Anchor>
);

/** What remains to a member whom the organization refuses. */
export function LockedPanel({ organization }: { organization: OrganizationRecord }) {
  const { data: me } = useMe();
  const [isOpen, { open, close }] = useDisclosure(false);
  const { name, role } = organization;
  const self: Member = {
    userId: documentAccount() ?? 0,
    name: me?.name ?? '',
    email: me?.email ?? '',
    role,
    joinedAt: organization.createdAt,
    hasSecondFactor: false,
    hasPasskey: false,
  };
  return (
    <Panel title={t`Second factor required`}>
      <Text size="sm" c="dimmed" mb="md">
        <Trans>
          To use {name}, set up an authenticator app, or add a passkey and sign in with it. Your API keys continue to
          work.
        </Trans>
      </Text>
      <Group gap="sm">
        <Button component={Link} href="/settings">
          <Trans>Set up a second factor</Trans>
        </Button>
        <Button variant="default" onClick={open}>
          {t`Leave ${name}`}
        </Button>
      </Group>
      <RemovalDialog organization={organization} member={self} isOpen={isOpen} onClose={close} />
    </Panel>
  );
}
