import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
import { NewPassword } from '../../components/credential-fields.tsx';
import { ResendConfirmation } from '../../components/emails.tsx';
import { FormFoot } from '../../components/notice.tsx';
import { emailIn, returnPath, useOwnDocument } from '../../components/session.ts';
import { language } from '../../lib/language.ts';
import { freePlanText } from '../../lib/offer.ts';
import { AuthLayout, FootLink, InboxLink } from './auth-layout.tsx';
import { GoogleSignIn } from './google.tsx';

export default function RegisterPage() {
  useOwnDocument();
  const [, go] = useLocation();
  const plan = freePlanText();
  const search = useSearch();
  const [address, setAddress] = useState<string>();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '', email: emailIn(returnPath(search)), password_hash: '' },
    schema: Registration,
    labels: { email: t`Email`, name: t`Name`, password_hash: t`Password` },
    act: async (body) => {
      const user = await call(signInRoutes.register, { body: { ...body, language } });
      await becomeAccount(user.id);
      // The confirmation page leads back to an invitation.
      if (returnPath(search).startsWith('/invitation?')) keep(user.id, invitationItem, returnPath(search));
      return user;
    },
    onDone: (user) => setAddress(user.email),
    fieldOf: {
      EMAIL_ALREADY_REGISTERED: {
        field: 'email',
        text: t`An account with this email already exists. Sign in instead.`,
      },
    },
  });

  if (address !== undefined) return <LinkSent address={address} />;
  return (
    <AuthLayout
      title={t`Create an account`}
      lead={plan && t`${plan} Upgrade when you need more.`}
      foot={
        <Trans>
          Already have an account? <FootLink href={`/login${search && `?${search}`}`}>Sign in</FootLink>
        </Trans>
      }
    >
      <Stack gap="md">
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <TextInput label={t`Name`} autoComplete="name" {...form.getInputProps('name')} />
            <TextInput label={t`Email`} type="email" autoComplete="username" {...form.getInputProps('email')} />
            <NewPassword label={t`Password`} owner={form.values} {...form.getInputProps('password_hash')} />
            <FormFoot error={error} isRunning={isRunning} fullWidth size="md">
              <Trans>Create account</Trans>
            </FormFoot>
          </Stack>
        </form>
        {hasTerms && (
          <Text size="sm" c="dimmed">
            <Trans>
              By creating an account, including with Google, you agree to the <TermsInSentence />.
            </Trans>
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
      title={t`Check your inbox`}
      lead={
        <Trans>
          We sent a link to <strong>{address}</strong>. Open it in this browser to confirm your email.
        </Trans>
      }
    >
      <Stack gap="md" align="flex-start">
        <InboxLink />
        <Button component={Link} href="/" variant="default">
          <Trans>Skip for now</Trans>
        </Button>
        <Text size="sm" c="dimmed">
          <Trans>
            No email? Check your spam folder, or <ResendConfirmation />. Wrong email?{' '}
            <Anchor component={Link} href="/register" inherit onClick={() => window.location.reload()}>
              Register again
            </Anchor>
            .
          </Trans>
        </Text>
      </Stack>
    </AuthLayout>
  );
}
