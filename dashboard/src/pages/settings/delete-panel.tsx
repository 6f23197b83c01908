import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import * as v from 'valibot';
import { AccountDeletion } from '#contract/accounts/accounts.ts';
import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { closeAccountStorage } from '../../api/account/account-storage.ts';
import { endDocument } from '../../api/account/account.ts';
import { perform } from '../../api/call.ts';
import { useApiForm } from '../../api/forms/use-api-form.ts';
import { useMe } from '../../api/reads.ts';
import { Notice } from '../../components/feedback/notice.tsx';
import { FormFoot } from '../../components/forms/form-foot.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { Modal } from '../../components/overlays/modal.tsx';

export function DeletePanel() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Panel title="Delete account">
      <Text size="sm" c="dimmed" mb="md">
        API keys and sessions end immediately, remaining credits are lost, and your data is deleted after 30 days.
      </Text>
      <Button variant="outline" color="red.8" onClick={open} style={{ color: 'var(--danger-ink)' }}>
        Delete account
      </Button>
      <Modal opened={isOpen} onClose={close} title="Delete account?">
        <DeleteForm />
      </Modal>
    </Panel>
  );
}

/** The password may be left out, where the account has none. */
const schema = v.omit(AccountDeletion, ['password']);

function DeleteForm() {
  const { data: me } = useMe();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '', password: '' },
    schema,
    labels: { email: 'Email', password: 'Password' },
    act: ({ email, password }) =>
      perform(accountRoutes.deleteAccount, { body: { email, ...(password !== '' && { password }) } }),
    onDone: () => {
      closeAccountStorage();
      void endDocument('/login?deleted');
    },
    fieldOf: { INVALID_CREDENTIALS: { field: 'password', text: 'Wrong password' } },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Notice tone="warning">This cannot be undone. Programs that use your API keys stop working immediately.</Notice>
        <TextInput
          label="Type your email to confirm"
          placeholder={me?.email ?? ''}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        {me?.hasPassword && (
          <PasswordInput label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
        )}
        <FormFoot error={error} isRunning={isRunning} asksPassword color="red.8">
          Delete account permanently
        </FormFoot>
      </Stack>
    </form>
  );
}
