import { Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import type { Data } from '../../api/response.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { AuthLayout, FootLink } from './auth-layout.tsx';
import { forgetLinkToken, useLinkToken } from './email-link.tsx';

type Decided = Data<typeof accountRoutes.decideEmailChange>;

const overview = <FootLink href="/">Overview</FootLink>;

/** Target of the links in the emails about a new address. Waits for a button, since mail scanners open links too. */
export default function EmailChangePage() {
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
