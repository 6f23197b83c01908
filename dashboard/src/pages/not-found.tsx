import { Anchor, Button, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { AuthLayout } from './auth/auth-layout.tsx';

export default function NotFoundPage() {
  return (
    <AuthLayout title="Page not found" lead="This page does not exist.">
      <Stack align="flex-start">
        <Button component={Link} href="/" size="md">
          Overview
        </Button>
        <Anchor component={Link} href="/guides">
          Guides
        </Anchor>
        <Anchor component={Link} href="/docs">
          API reference
        </Anchor>
      </Stack>
    </AuthLayout>
  );
}
