import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { AuthLayout } from './auth/auth-layout.tsx';

export default function NotFoundPage() {
  return (
    <AuthLayout title={t`Page not found`} lead={t`This page does not exist.`}>
      <Stack align="flex-start">
        <Button component={Link} href="/" size="md">
          <Trans>Overview</Trans>
        </Button>
        <Anchor component={Link} href="/guides">
          <Trans>Guides</Trans>
        </Anchor>
        <Anchor component={Link} href="/docs">
          <Trans>API reference</Trans>
        </Anchor>
      </Stack>
    </AuthLayout>
  );
}
