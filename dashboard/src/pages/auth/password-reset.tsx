import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { ForgottenPassword, PasswordReset } from '#contract/accounts/accounts.ts';
import { passwordRoutes } from '#contract/routes/passwords.ts';
import { perform } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { toApiError } from '../../api/response.ts';
import { FactorField, factorOf } from '../../components/factor-field.tsx';
import { NewPassword } from '../../components/new-password.tsx';
import { FormFoot, Notice } from '../../components/notice.tsx';
import { AuthLayout, FootLink, forgetLinkToken, InboxLink, useLinkToken } from './auth-layout.tsx';

const back = <FootLink href="/login">Back to sign in</FootLink>;

export function ForgotPasswordPage() {
  const [address, setAddress] = useState<string>();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '' },
    schema: ForgottenPassword,
    labels: { email: 'Email' },
    act: (body) => perform(passwordRoutes.forgotPassword, { body }),
    onDone: (_, { email }) => setAddress(email),
  });

  if (address !== undefined)
    return (
      <AuthLayout title="Check your inbox" foot={back}>
        <Stack align="flex-start">
          <Text>
            If <strong>{address}</strong> has an account, we sent it a link to choose a new password. The link works
            once and expires in 30 minutes.
          </Text>
          <InboxLink />
        </Stack>
      </AuthLayout>
    );
  return (
    <AuthLayout title="Forgot password?" lead="Enter your email to get a link to choose a new password." foot={back}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="Email" type="email" autoComplete="username" {...form.getInputProps('email')} />
          <FormFoot error={error} isRunning={isRunning} fullWidth size="md">
            Send reset link
          </FormFoot>
        </Stack>
      </form>
    </AuthLayout>
  );
}

const again = <FootLink href="/forgot-password">Request a new link</FootLink>;

export function ResetPasswordPage() {
  const token = useLinkToken();
  useEffect(forgetLinkToken, []);
  const [isDone, setDone] = useState(false);
  const [asksCode, setAsksCode] = useState(false);
  const { form, submit, isRunning, error } = useApiForm({
    initial: { token, newPassword: '', factor: '' },
    schema: PasswordReset,
    labels: { newPassword: 'New password', factor: 'Code' },
    act: ({ factor, ...body }) =>
      perform(passwordRoutes.resetPassword, { body: { ...body, ...(factor !== '' && factorOf(factor)) } }).catch(
        (refusal: unknown) => {
          if (toApiError(refusal).code === 'SECOND_FACTOR_REQUIRED') setAsksCode(true);
          throw refusal;
        },
      ),
    onDone: () => setDone(true),
    fieldOf: {
      SECOND_FACTOR_REQUIRED: { field: 'factor', text: 'Your account also asks for a code' },
      INVALID_CREDENTIALS: { field: 'factor' },
    },
  });

  if (isDone)
    return (
      <AuthLayout title="Password changed" lead="All devices were signed out. Sign in with the new password.">
        <Button component={Link} href="/login" size="md">
          Sign in
        </Button>
      </AuthLayout>
    );
  return (
    <AuthLayout title="Choose a new password" foot={again}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {token === '' && <Notice tone="warning">This link is incomplete. Open the link in the email.</Notice>}
          <NewPassword label="New password" {...form.getInputProps('newPassword')} />
          {asksCode && <FactorField {...form.getInputProps('factor')} />}
          {error?.code === 'INVALID_TOKEN' && (
            <Text size="sm">
              The link was already used, has expired after 30 minutes, or was replaced by a newer one.
            </Text>
          )}
          <FormFoot error={error} isRunning={isRunning} disabled={token === ''} fullWidth size="md">
            Change password
          </FormFoot>
        </Stack>
      </form>
    </AuthLayout>
  );
}
