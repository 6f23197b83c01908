import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import { mayAccess } from '#contract/organizations/roles.ts';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { documentAccount } from '../../api/account.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import type { Member } from '../../api/members.ts';
import type { OrganizationRecord } from '../../api/organizations.ts';
import { useMe } from '../../api/reads.ts';
import { LockedText } from '../../components/locked-page.tsx';
import { ErrorNotice, Notice, TwoStepLink, twoStepHref } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';
import { lateDialog } from '../../lib/load.ts';

const RemovalDialog = lateDialog(async () => (await import('./organization-dialogs.tsx')).RemovalDialog);

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
      ? t`${name} no longer requires two-step sign-in.`
      : t`${name} requires two-step sign-in. The other members got an email.`;
    notify({ message });
  }

  return (
    <Panel
      title={t`Two-step sign-in`}
      aside={isRequired && <Badge color="pine">{t({ message: 'Required', comment: 'State of a rule' })}</Badge>}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          {isRequired
            ? t`Members need an authenticator app, or sign in with a passkey. API keys continue to work.`
            : t`A stolen password is enough to use this organization. If you require two-step sign-in, members also need an authenticator app, or sign in with a passkey. Others keep their membership, but lose access until they set it up.`}
        </Text>
        {error?.code === 'SECOND_FACTOR_NOT_ENABLED' ? (
          <Notice tone="error" actions={<TwoStepLink />}>
            <Trans>Set up two-step sign-in for your own account first, or sign in with a passkey.</Trans>
          </Notice>
        ) : (
          error && <ErrorNotice error={error} />
        )}
        {mayAccess('own', role) && (
          <Button variant="default" loading={isRunning} onClick={() => void change()}>
            {isRequired ? t`No longer require` : t`Require two-step sign-in`}
          </Button>
        )}
      </Stack>
    </Panel>
  );
}

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
    <Panel title={t`Two-step sign-in required`}>
      <Text size="sm" c="dimmed" mb="md">
        <LockedText name={name} />
      </Text>
      <Group gap="sm">
        <Button component={Link} href={twoStepHref}>
          <Trans>Set up two-step sign-in</Trans>
        </Button>
        <Button variant="default" onClick={open}>
          {t`Leave ${name}`}
        </Button>
      </Group>
      <RemovalDialog organization={organization} member={self} isOpen={isOpen} onClose={close} />
    </Panel>
  );
}
