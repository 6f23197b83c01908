import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { NewOrganization } from '#contract/organizations/organizations.ts';
import { mayAccess } from '#contract/organizations/roles.ts';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { call } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { useIsLocked } from '../../api/members.ts';
import { type OrganizationRecord, useOrganization, useOrganizations } from '../../api/organizations.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Detail, Details } from '../../components/details.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice, FormFoot } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { switchOrganization } from '../../components/switch-organization.ts';
import { type Column, DataTable } from '../../components/tables.tsx';
import { formatDay } from '../../lib/format.ts';
import { useQuery } from '../../lib/hooks.ts';
import { lateDialog } from '../../lib/load.ts';
import { roleLabel, roleTitles } from '../../lib/roles.ts';
import { InvitationsPanel } from './invitations-panel.tsx';
import { besideButton, MembersPanel } from './members-panel.tsx';
import { LockedPanel, SecondFactorPanel } from './second-factor-panel.tsx';

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
