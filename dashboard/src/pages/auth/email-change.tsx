import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { call } from '../../api/call.ts';
import type { Data } from '../../api/http/response.ts';
import { useAction } from '../../api/use-data.ts';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { AuthLayout } from './layout/auth-layout.tsx';
import { forgetLinkToken, useLinkToken } from './link-token.ts';

type Decided = Data<typeof accountRoutes.decideEmailChange>;

const overview = (
  <Anchor component={Link} href="/" inherit fw={600}>
    Overview
  </Anchor>
);

/**
 * Where the links of a change of the email lead, in whatever browser. Nothing happens until one of the buttons is pressed: mail
 * scanners open links too.
 */
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
      title="Change of email"
      lead={
        token === ''
          ? 'This link is incomplete. Open the link in the email.'
          : 'The email of the account changes once both its current and its new address have confirmed that.'
      }
      foot={overview}
    >
      <Stack>
        {error && <ErrorNotice error={error} />}
        <Button size="md" disabled={token === ''} loading={isRunning} onClick={() => void decide('confirm')}>
          Confirm the change
        </Button>
        <Button size="md" variant="default" disabled={token === '' || isRunning} onClick={() => void decide('refuse')}>
          It was not me: refuse
        </Button>
      </Stack>
    </AuthLayout>
  );
}

function Result({ status, waitingFor }: Decided) {
  if (status === 'refused')
    return (
      <AuthLayout title="Change refused" lead="Your email stays as it is." foot={overview}>
        <Text size="sm" mb="md">
          If you did not request the change, somebody else can sign in to the account: choose another password, which
          signs out everybody.
        </Text>
        <Button component={Link} href="/forgot-password" variant="default">
          Choose another password
        </Button>
      </AuthLayout>
    );
  if (status === 'waiting')
    return (
      <AuthLayout
        title="Confirmed"
        lead={`Now open the link that we sent to the ${waitingFor === 'new' ? 'new' : 'current'} email. It expires within 24 hours.`}
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
