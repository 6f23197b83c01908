import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import { NewOrganization } from '#contract/organizations/organizations.ts';
import { mayAccess } from '#contract/organizations/roles.ts';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { documentAccount } from '../../api/account.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { useIsLocked, type Member } from '../../api/members.ts';
import { type OrganizationRecord, useOrganization, useOrganizations } from '../../api/organizations.ts';
import { useMe } from '../../api/reads.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Detail, Details } from '../../components/details.tsx';
import { Icon } from '../../components/icon.tsx';
import { LockedText } from '../../components/locked-page.tsx';
import { ErrorNotice, FormFoot, Notice, TwoStepLink, twoStepHref } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { roleLabel, roleTitles } from '../../components/roles.tsx';
import { switchOrganization } from '../../components/switch-organization.ts';
import { type Column, DataTable } from '../../components/tables.tsx';
import { formatDay } from '../../lib/format.ts';
import { useQuery } from '../../lib/hooks.ts';
import { lateDialog } from '../../lib/load.ts';
import { InvitationsPanel, besideButton, MembersPanel } from './members.tsx';

const loadDialogs = () => import('./organization-dialogs.tsx');
const NewOrganizationDialog = lateDialog(async () => (await loadDialogs()).NewOrganizationDialog);
const DeleteDialog = lateDialog(async () => (await loadDialogs()).DeleteDialog);
const TransferDialog = lateDialog(async () => (await loadDialogs()).TransferDialog);

export default function OrganizationPage() {
  const { error, refetch } = useOrganizations();
  const organization = useOrganization();
  const [query, change] = useQuery();
  const create = (
    <Button leftSection={<Icon name="plus" />} onClick={() => change({ new: '' })}>
      <Trans>Create organization</Trans>
    </Button>
  );
  return (
    <Page
      title={t`Organization`}
      lead={t`The members of an organization share its credits, plan, API keys, agents and webhooks.`}
      actions={create}
    >
      <Stack gap="lg">
        {error && !organization && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!organization && !error && <Skeleton height={290} radius="lg" />}
        {organization && (
          <>
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <ProfilePanel organization={organization} />
              <OrganizationsPanel current={organization} />
            </SimpleGrid>
            {!organization.isPersonal && <SharedPanels organization={organization} />}
          </>
        )}
      </Stack>
      <NewOrganizationDialog isOpen={query.has('new')} onClose={() => change({ new: undefined })} />
    </Page>
  );
}

function SharedPanels({ organization }: { organization: OrganizationRecord }) {
  if (useIsLocked()) return <LockedPanel organization={organization} />;
  return (
    <>
      <MembersPanel organization={organization} />
      <InvitationsPanel organization={organization} />
      <SecondFactorPanel organization={organization} />
      {mayAccess('own', organization.role) && <OwnershipPanel organization={organization} />}
    </>
  );
}

function ProfilePanel({ organization }: { organization: OrganizationRecord }) {
  const { id, name, role, isPersonal, createdAt } = organization;
  return (
    <Panel title={isPersonal ? t`Personal organization` : t`This organization`}>
      <Stack gap="md">
        {mayAccess('manage', role) && !isPersonal && <NameForm key={name} organization={organization} />}
        <Details>
          {(isPersonal || !mayAccess('manage', role)) && <Detail title={t`Name`}>{name}</Detail>}
          <Detail title={t`Your role`}>{roleLabel(role)}</Detail>
          <Detail title={t`Created`}>{formatDay(createdAt)}</Detail>
          <Detail title="ID">
            <Group gap={4} component="span" wrap="nowrap">
              <span className="mono">{id}</span>
              <CopyButton value={id} what={t`organization ID`} />
            </Group>
          </Detail>
        </Details>
        {isPersonal && (
          <Text size="sm" c="dimmed">
            <Trans>
              Only you use your personal organization. Create another one to work with others: it has its own credits
              and plan.
            </Trans>
          </Text>
        )}
      </Stack>
    </Panel>
  );
}

function NameForm({ organization: { id, name } }: { organization: OrganizationRecord }) {
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name },
    schema: NewOrganization,
    labels: { name: t`Name` },
    act: (body) => call(organizationRoutes.renameOrganization, { path: { id }, body }),
    onDone: (changed) => notify({ message: t`Organization renamed to ${{ name: changed.name }}.` }),
    invalidates: [organizationRoutes.listOrganizations],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput label={t`Name`} autoComplete="off" {...form.getInputProps('name')} />
        <FormFoot error={error} isRunning={isRunning} w="fit-content">
          <Trans>Rename</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}

function OrganizationsPanel({ current }: { current: OrganizationRecord }) {
  const { data: organizations = [] } = useOrganizations();
  const columns: Column<OrganizationRecord>[] = [
    {
      title: t`Name`,
      place: 'lead',
      cell: ({ name }) => (
        <Text inherit fw={600} pe={besideButton}>
          <bdi>{name}</bdi>
        </Text>
      ),
    },
    { title: t`Role`, cell: ({ isPersonal, role }) => (isPersonal ? t`Personal` : roleTitles[role]) },
    {
      title: t`Actions`,
      place: 'corner',
      cell: (organization) =>
        organization.id === current.id ? (
          <Badge>
            <Trans context="organization">Current</Trans>
          </Badge>
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t`Switch to ${{ name: organization.name }}`}
            onClick={() => void switchOrganization(organization)}
          >
            <Trans>Switch</Trans>
          </Button>
        ),
    },
  ];
  return (
    <Panel title={t`Your organizations`}>
      <DataTable caption={t`Your organizations`} columns={columns} rows={organizations} idOf={({ id }) => id} />
    </Panel>
  );
}

function OwnershipPanel({ organization }: { organization: OrganizationRecord }) {
  const [isTransferring, transfer] = useDisclosure(false);
  const [isDeleting, deletion] = useDisclosure(false);
  return (
    <Panel title={t`Transfer or delete`}>
      <Text size="sm" c="dimmed" mb="md">
        <Trans>
          A transfer makes another member owner and changes your own role. A deletion revokes all API keys, and
          remaining credits are lost.
        </Trans>
      </Text>
      <Group gap="sm">
        <Button variant="default" onClick={transfer.open}>
          <Trans>Transfer ownership</Trans>
        </Button>
        <Button variant="outline" color="red.8" onClick={deletion.open} style={{ color: 'var(--danger-ink)' }}>
          <Trans>Delete organization</Trans>
        </Button>
      </Group>
      <TransferDialog organization={organization} isOpen={isTransferring} onClose={transfer.close} />
      <DeleteDialog organization={organization} isOpen={isDeleting} onClose={deletion.close} />
    </Panel>
  );
}

const RemovalDialog = lateDialog(async () => (await import('./organization-dialogs.tsx')).RemovalDialog);

/** The requirement, which owners change. */
function SecondFactorPanel({ organization }: { organization: OrganizationRecord }) {
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
function LockedPanel({ organization }: { organization: OrganizationRecord }) {
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
