import { Anchor, Button, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ResendConfirmation } from '../../components/account/resend-confirmation.tsx';
import { InboxLink } from '../../components/elements/inbox-link.tsx';
import { AuthLayout } from './layout/auth-layout.tsx';

/** After registering: the link in the email confirms the account. */
export function LinkSent({ address }: { address: string }) {
  return (
    <AuthLayout
      title="Check your inbox"
      lead={
        <>
          We sent a link to <strong>{address}</strong>. Open it in this browser to confirm your email.
        </>
      }
    >
      <Stack gap="md" align="flex-start">
        <InboxLink />
        <Button component={Link} href="/" variant="default">
          Skip for now
        </Button>
        <Text size="sm" c="dimmed">
          No email? Check your spam folder, or <ResendConfirmation />. Wrong email?{' '}
          <Anchor component={Link} href="/register" inherit onClick={() => window.location.reload()}>
            Register again
          </Anchor>
          .
        </Text>
      </Stack>
    </AuthLayout>
  );
}
