import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ForgottenPassword } from '#contract/accounts/accounts.ts';
import { passwordRoutes } from '#contract/routes/passwords.ts';
import { perform } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { FormFoot } from '../../components/notice.tsx';
import { AuthLayout, FootLink } from './auth-layout.tsx';
import { InboxLink } from './inbox-link.tsx';

const back = <FootLink href="/login">Back to sign in</FootLink>;

export default function ForgotPasswordPage() {
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
