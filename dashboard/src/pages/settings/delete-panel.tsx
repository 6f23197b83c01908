import { Button, Stack, Text, TextInput } from '@mantine/core';
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
import { noProof, OwnerProof, proofFields, proofOf } from './owner-proof.tsx';

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

function DeleteForm() {
  const { data: me } = useMe();
  const hasPassword = me?.hasPassword ?? true;
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '', ...noProof },
    schema: v.omit(AccountDeletion, hasPassword ? ['identityToken'] : ['password', 'identityToken']),
    labels: { email: 'Email', password: 'Password' },
    act: ({ email, ...proof }) => perform(accountRoutes.deleteAccount, { body: { email, ...proofOf(proof) } }),
    onDone: () => {
      closeAccountStorage();
      void endDocument('/login?deleted');
    },
    fieldOf: proofFields(hasPassword),
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
        <OwnerProof password={form.getInputProps('password')} identityToken={form.getInputProps('identityToken')} />
        <FormFoot error={error} isRunning={isRunning} asksPassword={hasPassword} color="red.8">
          Delete account permanently
        </FormFoot>
      </Stack>
    </form>
  );
}
