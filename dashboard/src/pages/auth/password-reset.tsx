import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { ForgottenPassword, PasswordReset } from '#contract/accounts/accounts.ts';
import { passwordRoutes } from '#contract/routes/sign-in.ts';
import { perform } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { toApiError } from '../../api/response.ts';
import { FactorField, factorOf, NewPassword } from '../../components/credential-fields.tsx';
import { FormFoot, Notice } from '../../components/notice.tsx';
import { AuthLayout, FootLink, forgetLinkToken, InboxLink, useLinkToken } from './auth-layout.tsx';

const back = (
  <FootLink href="/login">
    <Trans>Back to sign in</Trans>
  </FootLink>
);

export function ForgotPasswordPage() {
  const [address, setAddress] = useState<string>();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '' },
    schema: ForgottenPassword,
    labels: { email: t`Email` },
    act: (body) => perform(passwordRoutes.forgotPassword, { body }),
    onDone: (_, { email }) => setAddress(email),
  });

  if (address !== undefined)
    return (
      <AuthLayout title={t`Check your inbox`} foot={back}>
        <Stack align="flex-start">
          <Text>
            <Trans>
              If <strong>{address}</strong> has an account, we sent it a link to choose a new password. The link works
              once and expires in 30 minutes.
            </Trans>
          </Text>
          <InboxLink />
        </Stack>
      </AuthLayout>
    );
  return (
    <AuthLayout
      title={t`Forgot password?`}
      lead={t`Enter your email to get a link to choose a new password.`}
      foot={back}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label={t`Email`} type="email" autoComplete="username" {...form.getInputProps('email')} />
          <FormFoot error={error} isRunning={isRunning} fullWidth size="md">
            <Trans>Send reset link</Trans>
          </FormFoot>
        </Stack>
      </form>
    </AuthLayout>
  );
}

const again = (
  <FootLink href="/forgot-password">
    <Trans>Request a new link</Trans>
  </FootLink>
);

export function ResetPasswordPage() {
  const token = useLinkToken();
  useEffect(forgetLinkToken, []);
  const [isDone, setDone] = useState(false);
  const [asksCode, setAsksCode] = useState(false);
  const { form, submit, isRunning, error } = useApiForm({
    initial: { token, newPassword: '', factor: '' },
    schema: PasswordReset,
    labels: { newPassword: t`New password`, factor: t`Code` },
    act: ({ factor, ...body }) =>
      perform(passwordRoutes.resetPassword, { body: { ...body, ...(factor !== '' && factorOf(factor)) } }).catch(
        (refusal: unknown) => {
          if (toApiError(refusal).code === 'SECOND_FACTOR_REQUIRED') setAsksCode(true);
          throw refusal;
        },
      ),
    onDone: () => setDone(true),
    fieldOf: {
      SECOND_FACTOR_REQUIRED: { field: 'factor', text: t`Your account also asks for a code` },
      INVALID_CREDENTIALS: { field: 'factor' },
    },
  });

  if (isDone)
    return (
      <AuthLayout title={t`Password changed`} lead={t`All devices were signed out. Sign in with the new password.`}>
        <Button component={Link} href="/login" size="md">
          <Trans>Sign in</Trans>
        </Button>
      </AuthLayout>
    );
  return (
    <AuthLayout title={t`Choose a new password`} foot={again}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {token === '' && (
            <Notice tone="warning">
              <Trans>This link is incomplete. Open the link in the email.</Trans>
            </Notice>
          )}
          <NewPassword label={t`New password`} {...form.getInputProps('newPassword')} />
          {asksCode && <FactorField {...form.getInputProps('factor')} />}
          {error?.code === 'INVALID_TOKEN' && (
            <Text size="sm">
              <Trans>The link was already used, has expired after 30 minutes, or was replaced by a newer one.</Trans>
            </Text>
          )}
          <FormFoot error={error} isRunning={isRunning} disabled={token === ''} fullWidth size="md">
            <Trans>Change password</Trans>
          </FormFoot>
        </Stack>
      </form>
    </AuthLayout>
  );
}
