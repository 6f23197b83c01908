import { Button, Loader, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { perform } from '../../api/call.ts';
import { useMe } from '../../api/reads.ts';
import { ResendConfirmation } from '../../components/emails.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { AuthLayout, FootLink } from './auth-layout.tsx';
import { forgetLinkToken, useLinkToken } from './email-link.tsx';

/**
 * Target of the link in the confirmation email. Confirms by itself in the browser that registered; in another browser
 * the user signs in first and is redirected back. Confirming is idempotent, so it may run as a query.
 */
export default function ConfirmPage() {
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
        <Stack align="flex-start">
          <Button component={Link} href="/keys?new" size="md">
            Create API key
          </Button>
          <Button component={Link} href="/playground" variant="default">
            Open the playground
          </Button>
        </Stack>
      </AuthLayout>
    );
  return (
    <AuthLayout
      title="Confirm your email"
      lead={token === '' ? 'This link is incomplete. Open the link in the email.' : undefined}
      foot={<FootLink href="/">Overview</FootLink>}
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
