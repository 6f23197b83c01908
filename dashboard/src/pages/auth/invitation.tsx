import { select, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { accountIn } from '#contract/shared/account-reference.ts';
import { forget, invitationItem } from '../../api/account-storage.ts';
import { documentAccount } from '../../api/account.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { loadOrganizations, organizationOf, type OrganizationRecord } from '../../api/organizations.ts';
import { useData, useMember } from '../../api/reads.ts';
import type { ApiError } from '../../api/response.ts';
import { Unconfirmed } from '../../components/emails.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { roleTexts } from '../../components/roles.tsx';
import { useSignOut } from '../../components/session.ts';
import { switchOrganization } from '../../components/switch-organization.ts';
import { AuthLayout, forgetLinkToken, toOverview, useLinkEmail, useLinkToken } from './auth-layout.tsx';

/** Target of the link in an invitation. Waits for a button, since mail scanners open links too. */
export default function InvitationPage() {
  const token = useLinkToken();
  const path = pathOf(token, useLinkEmail());
  useEffect(forgetLinkToken, []);
  const { data: member, error, refetch } = useMember();
  const organizations = useData(organizationRoutes.listOrganizations, {}, { enabled: Boolean(member) });
  const [joined, setJoined] = useState<OrganizationRecord>();
  if (joined) return <Membership title={t`You joined ${{ name: joined.name }}`} organization={joined} />;
  const own = organizations.data?.items.find(({ id }) => id === accountIn(token));
  if (own)
    return (
      <Membership title={t`You are already a member of ${{ name: own.name }}`} organization={organizationOf(own)}>
        <OtherAccount path={path} />
      </Membership>
    );
  const isLoading = member === undefined ? !error : member !== null && organizations.isPending;
  return (
    <AuthLayout
      title={t`Join an organization`}
      lead={
        token === ''
          ? t`This link is incomplete. Open the link in the email.`
          : t`You are invited to share the credits, API keys and agents of an organization.`
      }
      foot={toOverview}
    >
      {token !== '' && (
        <Stack>
          {isLoading && <Loader aria-label={t`Loading`} />}
          {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
          {member === null && <SignInFirst path={path} />}
          {member && !isLoading && <Acceptance token={token} path={path} member={member} onJoined={setJoined} />}
        </Stack>
      )}
    </AuthLayout>
  );
}

function pathOf(token: string, email: string): string {
  const path = `/invitation?${new URLSearchParams({ token }).toString()}`;
  return email === '' ? path : `${path}#${new URLSearchParams({ email }).toString()}`;
}

function SignInFirst({ path }: { path: string }) {
  const query = new URLSearchParams({ return: path }).toString();
  return (
    <>
      <Text size="sm">
        <Trans>Sign in with the email that received the invitation, then come back here to accept it.</Trans>
      </Text>
      <Group gap="sm">
        <Button component={Link} href={`/login?${query}`} size="md">
          <Trans>Sign in</Trans>
        </Button>
        <Button component={Link} href={`/register?${query}`} size="md" variant="default">
          <Trans>Create an account</Trans>
        </Button>
      </Group>
    </>
  );
}

interface AcceptanceProps {
  readonly token: string;
  readonly path: string;
  readonly member: { readonly email: string; readonly isConfirmed: boolean };
  readonly onJoined: (organization: OrganizationRecord) => void;
}

function Acceptance({ token, path, member: { email, isConfirmed }, onJoined }: AcceptanceProps) {
  const { run, isRunning, error } = useAction(async () => {
    const { organizationId } = await call(organizationRoutes.acceptInvitation, { body: { token } });
    const organizations = await loadOrganizations();
    const account = documentAccount();
    if (account !== undefined) forget(account, invitationItem);
    const joined = organizations.find(({ id }) => id === String(organizationId));
    if (joined) onJoined(joined);
  });
  const isOther = error?.code === 'INSUFFICIENT_PERMISSIONS';
  if (!isConfirmed) return <Unconfirmed email={email} permits={t`accept invitations`} />;
  return (
    <>
      <Text size="sm">
        <Trans>
          You are signed in as <strong>{email}</strong>.
        </Trans>
      </Text>
      {error && <Refusal error={error} email={email} onRetry={() => void run(undefined)} />}
      {!isOther && (
        <Button size="md" loading={isRunning} onClick={() => void run(undefined)}>
          <Trans>Accept invitation</Trans>
        </Button>
      )}
      <OtherAccount path={path} variant={isOther ? 'filled' : 'default'} />
    </>
  );
}

function OtherAccount({ path, variant = 'default' }: { path: string; variant?: 'filled' | 'default' }) {
  const signOut = useSignOut(path);
  return (
    <Button size="md" variant={variant} onClick={signOut}>
      <Trans>Use another account</Trans>
    </Button>
  );
}

interface RefusalProps {
  readonly error: ApiError;
  readonly email: string;
  readonly onRetry: () => void;
}

function Refusal({ error, email, onRetry }: RefusalProps) {
  if (error.code === 'INSUFFICIENT_PERMISSIONS')
    return (
      <Notice tone="error">
        <Trans>This invitation is for another email than {email}. Sign in with the email that received it.</Trans>
      </Notice>
    );
  if (error.code === 'NOT_FOUND')
    return (
      <Notice tone="error">
        <Trans>
          This invitation is no longer valid: it was used or withdrawn, or it is older than 7 days. Ask for a new one.
        </Trans>
      </Notice>
    );
  return <ErrorNotice error={error} onRetry={onRetry} />;
}

interface MembershipProps {
  readonly title: string;
  readonly organization: OrganizationRecord;
  readonly children?: ReactNode;
}

function Membership({ title, organization, children }: MembershipProps) {
  const { name, role } = organization;
  const rights = roleTexts[role];
  return (
    <AuthLayout
      title={title}
      lead={t`Your role is ${select(role, { owner: 'owner', admin: 'admin', developer: 'developer', billing: 'billing', other: 'viewer' })}: ${rights}.`}
      foot={toOverview}
    >
      <Group gap="sm">
        <Button size="md" onClick={() => void switchOrganization(organization, '/')}>
          <Trans>Open {name}</Trans>
        </Button>
        {children}
      </Group>
    </AuthLayout>
  );
}
