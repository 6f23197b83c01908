import { Stack, Text, TextInput } from '@mantine/core';
import * as v from 'valibot';
import { email } from '#contract/accounts/email.ts';
import { text } from '#contract/shared/fields.ts';
import { useApiForm } from '../../api/forms/use-api-form.ts';
import { localIdentityToken } from '../../api/local-service.ts';
import { FormFoot } from '../../components/forms/form-foot.tsx';
import { Modal } from '../../components/overlays/modal.tsx';

const schema = v.object({ email, name: text(200) });

interface LocalGoogleDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onToken: (token: string) => void;
}

export function LocalGoogleDialog({ isOpen, onClose, onToken }: LocalGoogleDialogProps) {
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '', name: '' },
    schema,
    labels: { email: 'Email', name: 'Name' },
    act: localIdentityToken,
    onDone: (token) => {
      onClose();
      onToken(token);
    },
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title="Sign in with Google (local stand-in)">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            Nothing is sent to Google. Enter any email and name; this machine signs the token.
          </Text>
          <TextInput label="Email" type="email" data-autofocus {...form.getInputProps('email')} />
          <TextInput label="Name" {...form.getInputProps('name')} />
          <FormFoot error={error} isRunning={isRunning}>
            Continue
          </FormFoot>
        </Stack>
      </form>
    </Modal>
  );
}
