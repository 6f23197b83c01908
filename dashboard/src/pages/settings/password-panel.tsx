import { Anchor, PasswordInput, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { PasswordChange } from '#contract/accounts/accounts.ts';
import { passwordRoutes } from '#contract/routes/accounts/passwords.ts';
import { signInRoutes } from '#contract/routes/accounts/sign-in.ts';
import { perform } from '../../api/call.ts';
import { useApiForm } from '../../api/forms/use-api-form.ts';
import { useMe } from '../../api/reads.ts';
import { notify } from '../../components/feedback/notifications.tsx';
import { FormFoot } from '../../components/forms/form-foot.tsx';
import { NewPassword } from '../../components/forms/new-password.tsx';
import { Panel } from '../../components/layout/panel.tsx';

/** Changes the password; an account that has none gets one over a mailed link. */
export function PasswordPanel() {
  const { data: me } = useMe();
  if (me?.hasPassword === false)
    return (
      <Panel title="Password">
        <Text size="sm" c="dimmed">
          You sign in with Google and have no password.{' '}
          <Anchor component={Link} href="/forgot-password" inherit underline="always">
            Request a link
          </Anchor>{' '}
          to choose one.
        </Text>
      </Panel>
    );
  return <PasswordForm />;
}

function PasswordForm() {
  const { data: me } = useMe();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { currentPassword: '', newPassword: '' },
    schema: PasswordChange,
    labels: { currentPassword: 'Current password', newPassword: 'New password' },
    act: (body) => perform(passwordRoutes.changePassword, { body }),
    onDone: () => {
      form.reset();
      notify({ message: 'Password changed. All other sessions are signed out.' });
    },
    invalidates: [signInRoutes.listSessions],
    fieldOf: { INVALID_CREDENTIALS: { field: 'currentPassword', text: 'Incorrect password' } },
  });
  return (
    <Panel title="Password">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            {...form.getInputProps('currentPassword')}
          />
          <NewPassword label="New password" owner={me} {...form.getInputProps('newPassword')} />
          <FormFoot error={error} isRunning={isRunning} asksPassword style={{ alignSelf: 'flex-start' }}>
            Change password
          </FormFoot>
        </Stack>
      </form>
    </Panel>
  );
}
