import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { Registration } from '#contract/accounts/accounts.ts';
import { signInRoutes } from '#contract/routes/sign-in.ts';
import { invitationItem, keep } from '../../api/account-storage.ts';
import { becomeAccount } from '../../api/account.ts';
import { call } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { hasTerms, TermsInSentence } from '../../components/brand.tsx';
import { ResendConfirmation } from '../../components/emails.tsx';
import { NewPassword } from '../../components/new-password.tsx';
import { FormFoot } from '../../components/notice.tsx';
import { returnPath, useOwnDocument } from '../../components/session.ts';
import { freePlanText } from '../../lib/offer.ts';
import { AuthLayout, FootLink, InboxLink } from './auth-layout.tsx';
import { GoogleSignIn } from './google.tsx';

const freeLead = freePlanText && `${freePlanText} Upgrade when you need more.`;

const labels = { email: 'Email', name: 'Name', password_hash: 'Password' };

export default function RegisterPage() {
  useOwnDocument();
  const [, go] = useLocation();
  const search = useSearch();
  const [address, setAddress] = useState<string>();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '', email: '', password_hash: '' },
    schema: Registration,
    labels,
    act: async (body) => {
      const user = await call(signInRoutes.register, { body });
      await becomeAccount(user.id);
      // The confirmation page leads back to an invitation.
      if (returnPath(search).startsWith('/invitation?')) keep(user.id, invitationItem, returnPath(search));
      return user;
    },
    onDone: (user) => setAddress(user.email),
    fieldOf: {
      EMAIL_ALREADY_REGISTERED: { field: 'email', text: 'An account with this email already exists. Sign in instead.' },
    },
  });

  if (address !== undefined) return <LinkSent address={address} />;
  return (
    <AuthLayout
      title="Create an account"
      lead={freeLead}
      foot={
        <>
          Already have an account? <FootLink href={`/login${search && `?${search}`}`}>Sign in</FootLink>
        </>
      }
    >
      <Stack gap="md">
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <TextInput label="Name" autoComplete="name" {...form.getInputProps('name')} />
            <TextInput label="Email" type="email" autoComplete="username" {...form.getInputProps('email')} />
            <NewPassword label="Password" owner={form.values} {...form.getInputProps('password_hash')} />
            <FormFoot error={error} isRunning={isRunning} fullWidth size="md">
              Create account
            </FormFoot>
          </Stack>
        </form>
        {hasTerms && (
          <Text size="sm" c="dimmed">
            By creating an account, including with Google, you agree to the <TermsInSentence />.
          </Text>
        )}
        <GoogleSignIn onDone={() => go(returnPath(search), { replace: true })} />
      </Stack>
    </AuthLayout>
  );
}

function LinkSent({ address }: { address: string }) {
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
