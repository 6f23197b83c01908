import { Button, Loader, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { invitationItem, kept } from '../../api/account-storage.ts';
import { useAction } from '../../api/actions.ts';
import { call, perform } from '../../api/call.ts';
import { useMe } from '../../api/reads.ts';
import type { Data } from '../../api/response.ts';
import { ResendConfirmation } from '../../components/emails.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { AuthLayout, FootLink, forgetLinkToken, useLinkToken } from './auth-layout.tsx';

const overview = <FootLink href="/">Overview</FootLink>;

/**
 * Target of the link in the confirmation email. Confirms automatically in the browser that registered; in another browser
 * the user signs in first and is redirected back. Confirming is idempotent, so it may run as a query.
 */
export function ConfirmPage() {
  const token = useLinkToken();
  const client = useQueryClient();
  const { isSuccess, error, isPending, refetch } = useQuery({
    queryKey: [accountRoutes.confirm.id, token],
    queryFn: async () => {
      await perform(accountRoutes.confirm, { query: { token } });
      forgetLinkToken();
      await client.invalidateQueries({ queryKey: [accountRoutes.me.id] });
      return true;
    },
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });

  if (isSuccess)
    return (
      <AuthLayout title="Email confirmed" lead="Your account is ready. Create an API key to make your first call.">
        <NextSteps />
      </AuthLayout>
    );
  return (
    <AuthLayout
      title="Confirm your email"
      lead={token === '' ? 'This link is incomplete. Open the link in the email.' : undefined}
      foot={overview}
    >
      {token !== '' && isPending && <Loader aria-label="Confirming" />}
      {error && (
        <Stack>
          <ErrorNotice error={error} onRetry={() => void refetch()} />
          <LinkRules />
        </Stack>
      )}
    </AuthLayout>
  );
}

function NextSteps() {
  const { data: me } = useMe();
  const [invitation] = me ? kept(me.id, invitationItem) : [];
  return (
    <Stack align="flex-start">
      {invitation && (
        <Button component={Link} href={invitation.value} size="md">
          Continue to your invitation
        </Button>
      )}
      <Button component={Link} href="/keys?new" {...(invitation ? { variant: 'default' } : { size: 'md' })}>
        Create API key
      </Button>
      <Button component={Link} href="/playground" variant="default">
        Open the playground
      </Button>
    </Stack>
  );
}

function LinkRules() {
  const { data: me } = useMe();
  return (
    <Text size="sm" c="dimmed">
      A link works for 24 hours or until a newer one is sent, and confirms the account it was sent to
      {me && (
        <>
          : you are signed in as <strong>{me.email}</strong>
        </>
      )}
      . You can <ResendConfirmation />.
    </Text>
  );
}

type Decided = Data<typeof accountRoutes.decideEmailChange>;

/** Target of the links in the emails about a new address. Waits for a button, since mail scanners open links too. */
export function EmailChangePage() {
  const token = useLinkToken();
  useEffect(forgetLinkToken, []);
  const client = useQueryClient();
  const [decided, setDecided] = useState<Decided>();
  const { run, isRunning, error } = useAction((decision: 'confirm' | 'refuse') =>
    call(accountRoutes.decideEmailChange, { body: { token, decision } }),
  );

  async function decide(decision: 'confirm' | 'refuse'): Promise<void> {
    setDecided(await run(decision));
    await client.invalidateQueries({ queryKey: [accountRoutes.me.id] });
  }

  if (decided) return <Result {...decided} />;
  return (
    <AuthLayout
      title="Confirm email change"
      lead={
        token === ''
          ? 'This link is incomplete. Open the link in the email.'
          : 'Your email changes once both the current and the new address have confirmed.'
      }
      foot={overview}
    >
      <Stack>
        {error && <ErrorNotice error={error} />}
        <Button size="md" disabled={token === ''} loading={isRunning} onClick={() => void decide('confirm')}>
          Confirm change
        </Button>
        <Button size="md" variant="default" disabled={token === '' || isRunning} onClick={() => void decide('refuse')}>
          This wasn’t me
        </Button>
      </Stack>
    </AuthLayout>
  );
}

function Result({ status, waitingFor }: Decided) {
  if (status === 'refused')
    return (
      <AuthLayout title="Email change rejected" lead="Your email stays the same." foot={overview}>
        <Text size="sm" mb="md">
          If you did not request the change, someone else can sign in to your account. Choose a new password, which
          signs out everyone.
        </Text>
        <Button component={Link} href="/forgot-password" variant="default">
          Choose a new password
        </Button>
      </AuthLayout>
    );
  if (status === 'waiting')
    return (
      <AuthLayout
        title="Confirmed"
        lead={`Now open the link we sent to the ${waitingFor === 'new' ? 'new' : 'current'} email. It expires within 24 hours.`}
        foot={overview}
      >
        {null}
      </AuthLayout>
    );
  return (
    <AuthLayout
      title="Email changed"
      lead="Sign in with the new email from now on. All other sessions were signed out."
      foot={overview}
    >
      <Button component={Link} href="/" size="md">
        Continue
      </Button>
    </AuthLayout>
  );
}
