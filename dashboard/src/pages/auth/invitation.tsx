import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { organizationRoutes } from '#contract/routes/organizations.ts';
import { forget, invitationItem } from '../../api/account-storage.ts';
import { documentAccount } from '../../api/account.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { loadOrganizations, type OrganizationRecord } from '../../api/organizations.ts';
import { useMember } from '../../api/reads.ts';
import type { ApiError } from '../../api/response.ts';
import { Unconfirmed } from '../../components/emails.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { useSignOut } from '../../components/session.ts';
import { switchOrganization } from '../../components/switch-organization.ts';
import { roleTexts, roleTitles } from '../../lib/roles.ts';
import { AuthLayout, FootLink, forgetLinkToken, useLinkToken } from './auth-layout.tsx';

const overview = <FootLink href="/">Overview</FootLink>;

/** Target of the link in an invitation. Waits for a button, since mail scanners open links too. */
export default function InvitationPage() {
  const token = useLinkToken();
  useEffect(forgetLinkToken, []);
  const { data: member, error, refetch } = useMember();
  const [joined, setJoined] = useState<OrganizationRecord>();
  if (joined) return <Joined organization={joined} />;
  return (
    <AuthLayout
      title="Join an organization"
      lead={
        token === ''
          ? 'This link is incomplete. Open the link in the email.'
          : 'You are invited to share the credits, API keys and agents of an organization.'
      }
      foot={overview}
    >
      {token !== '' && (
        <Stack>
          {member === undefined && !error && <Loader aria-label="Loading" />}
          {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
          {member === null && <SignInFirst path={pathOf(token)} />}
          {member && <Acceptance token={token} member={member} onJoined={setJoined} />}
        </Stack>
      )}
    </AuthLayout>
  );
}

const pathOf = (token: string): string => `/invitation?${new URLSearchParams({ token }).toString()}`;

function SignInFirst({ path }: { path: string }) {
  const query = new URLSearchParams({ return: path }).toString();
  return (
    <>
      <Text size="sm">Sign in with the email that received the invitation, then come back here to accept it.</Text>
      <Group gap="sm">
        <Button component={Link} href={`/login?${query}`} size="md">
          Sign in
        </Button>
        <Button component={Link} href={`/register?${query}`} size="md" variant="default">
          Create an account
        </Button>
      </Group>
    </>
  );
}

interface AcceptanceProps {
  readonly token: string;
  readonly member: { readonly email: string; readonly isConfirmed: boolean };
  readonly onJoined: (organization: OrganizationRecord) => void;
}

function Acceptance({ token, member: { email, isConfirmed }, onJoined }: AcceptanceProps) {
  const { run, isRunning, error } = useAction(async () => {
    const { organizationId } = await call(organizationRoutes.acceptInvitation, { body: { token } });
    const organizations = await loadOrganizations();
    const account = documentAccount();
    if (account !== undefined) forget(account, invitationItem);
    const joined = organizations.find(({ id }) => id === String(organizationId));
    if (joined) onJoined(joined);
  });
  const signOut = useSignOut(pathOf(token));
  const isOther = error?.code === 'INSUFFICIENT_PERMISSIONS';
  if (!isConfirmed) return <Unconfirmed email={email} permits="accept invitations" />;
  return (
    <>
      <Text size="sm">
        You are signed in as <strong>{email}</strong>.
      </Text>
      {error && <Refusal error={error} email={email} onRetry={() => void run(undefined)} />}
      {!isOther && (
        <Button size="md" loading={isRunning} onClick={() => void run(undefined)}>
          Accept invitation
        </Button>
      )}
      <Button size="md" variant={isOther ? 'filled' : 'default'} onClick={signOut}>
        Use another account
      </Button>
    </>
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
        This invitation is for another email than {email}. Sign in with the email that received it.
      </Notice>
    );
  if (error.code === 'NOT_FOUND')
    return (
      <Notice tone="error">
        This invitation is no longer valid: it was used or withdrawn, or it is older than 7 days. Ask for a new one.
      </Notice>
    );
  return <ErrorNotice error={error} onRetry={onRetry} />;
}

function Joined({ organization }: { organization: OrganizationRecord }) {
  const { name, role } = organization;
  return (
    <AuthLayout
      title={`You joined ${name}`}
      lead={`Your role is ${roleTitles[role].toLowerCase()}: ${roleTexts[role]}.`}
      foot={overview}
    >
      <Button size="md" onClick={() => void switchOrganization(organization, '/')}>
        Open {name}
      </Button>
    </AuthLayout>
  );
}
