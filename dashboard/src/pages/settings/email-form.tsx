import { PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { EmailChange } from '#contract/accounts/accounts.ts';
import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { perform } from '../../api/call.ts';
import { useApiForm } from '../../api/forms/use-api-form.ts';
import { useMe } from '../../api/reads.ts';
import { Notice } from '../../components/feedback/notice.tsx';
import { notify } from '../../components/feedback/notifications.tsx';
import { FormFoot } from '../../components/forms/form-foot.tsx';
import { GoogleSignIn } from '../auth/google/google-sign-in.tsx';

/** Requests another address: with the password, or a recent sign-in where there is none. */
export function EmailForm({ onRequested }: { onRequested: () => void }) {
  const { data: me } = useMe();
  const hasPassword = me?.hasPassword ?? true;
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '', ...(hasPassword && { password: '' }) },
    schema: EmailChange,
    labels: { email: 'New email', password: 'Password' },
    act: (body) => perform(accountRoutes.requestEmailChange, { body }),
    onDone: (_, { email }) => {
      notify({ message: `Links sent to ${me?.email ?? 'your email'} and ${email}.` });
      onRequested();
    },
    invalidates: [accountRoutes.me],
    ...(hasPassword && { fieldOf: { INVALID_CREDENTIALS: { field: 'password', text: 'Wrong password' } } }),
  });
  const mustSignIn = error?.code === 'INVALID_CREDENTIALS';
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          A link goes to both addresses. Your email changes when both are confirmed, within 24 hours.
        </Text>
        <TextInput
          label="New email"
          type="email"
          autoComplete="email"
          data-autofocus
          {...form.getInputProps('email')}
        />
        {hasPassword && (
          <PasswordInput label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
        )}
        {mustSignIn && <SignInAgain />}
        <FormFoot error={mustSignIn ? null : error} isRunning={isRunning} asksPassword={hasPassword}>
          Send links
        </FormFoot>
      </Stack>
    </form>
  );
}

function SignInAgain() {
  const done = () => notify({ message: 'Signed in again. You can send the links now.' });
  return (
    <>
      <Notice tone="warning">You signed in more than 10 minutes ago. Sign in with Google again first.</Notice>
      <GoogleSignIn label="Continue with Google" onDone={done} />
    </>
  );
}
