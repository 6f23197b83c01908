import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
import { AuthLayout, forgetLinkToken, toOverview, useLinkToken } from './auth-layout.tsx';

/**
 * Target of the link in the confirmation email. Confirms automatically in the browser that registered; in another
 * browser the user signs in first and is redirected back. Confirming is idempotent, so it may run as a query.
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
      <AuthLayout
        title={t`Email confirmed`}
        lead={t`Your account is ready. Create an API key to make your first call.`}
      >
        <NextSteps />
      </AuthLayout>
    );
  return (
    <AuthLayout
      title={t`Confirm your email`}
      lead={token === '' ? t`This link is incomplete. Open the link in the email.` : undefined}
      foot={toOverview}
    >
      {token !== '' && isPending && <Loader aria-label={t`Confirming`} />}
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
          <Trans>Continue to your invitation</Trans>
        </Button>
      )}
      <Button component={Link} href="/keys?new" {...(invitation ? { variant: 'default' } : { size: 'md' })}>
        <Trans>Create API key</Trans>
      </Button>
      <Button component={Link} href="/playground" variant="default">
        <Trans>Open the playground</Trans>
      </Button>
    </Stack>
  );
}

function LinkRules() {
  const email = useMe().data?.email;
  return (
    <Text size="sm" c="dimmed">
      {email ? (
        <Trans>
          A link works for 24 hours or until a newer one is sent, and confirms the account it was sent to: you are
          signed in as <strong>{email}</strong>. You can <ResendConfirmation />.
        </Trans>
      ) : (
        <Trans>
          A link works for 24 hours or until a newer one is sent, and confirms the account it was sent to. You can{' '}
          <ResendConfirmation />.
        </Trans>
      )}
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
      title={t`Confirm email change`}
      lead={
        token === ''
          ? t`This link is incomplete. Open the link in the email.`
          : t`Your email changes once both the current and the new address have confirmed.`
      }
      foot={toOverview}
    >
      <Stack>
        {error && <ErrorNotice error={error} />}
        <Button size="md" disabled={token === ''} loading={isRunning} onClick={() => void decide('confirm')}>
          <Trans>Confirm change</Trans>
        </Button>
        <Button size="md" variant="default" disabled={token === '' || isRunning} onClick={() => void decide('refuse')}>
          <Trans>This wasn’t me</Trans>
        </Button>
      </Stack>
    </AuthLayout>
  );
}

function Result({ status, waitingFor }: Decided) {
  if (status === 'refused')
    return (
      <AuthLayout title={t`Email change rejected`} lead={t`Your email stays the same.`} foot={toOverview}>
        <Text size="sm" mb="md">
          <Trans>
            If you did not request the change, someone else can sign in to your account. Choose a new password, which
            signs out everyone.
          </Trans>
        </Text>
        <Button component={Link} href="/forgot-password" variant="default">
          <Trans>Choose a new password</Trans>
        </Button>
      </AuthLayout>
    );
  if (status === 'waiting')
    return (
      <AuthLayout
        title={t`Confirmed`}
        lead={
          waitingFor === 'new'
            ? t`Now open the link we sent to the new email. It expires within 24 hours.`
            : t`Now open the link we sent to the current email. It expires within 24 hours.`
        }
        foot={toOverview}
      >
        {null}
      </AuthLayout>
    );
  return (
    <AuthLayout
      title={t`Email changed`}
      lead={t`Sign in with the new email from now on. All other sessions were signed out.`}
      foot={toOverview}
    >
      <Button component={Link} href="/" size="md">
        <Trans>Continue</Trans>
      </Button>
    </AuthLayout>
  );
}
