import { Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import * as v from 'valibot';
import { email } from '#contract/accounts/email.ts';
import { text } from '#contract/shared/fields.ts';
import { localIdentityToken } from '../../api/surroundings.ts';
import { FormFoot } from '../../components/form-foot.tsx';
import { useApiForm } from '../../lib/use-api-form.ts';
import { GoogleMark } from './google-mark.tsx';

const schema = v.object({ email, name: text(200) });

/** Plays Google on one machine: whoever one says to be, the local issuer vouches for. */
export function LocalGoogle({ onToken, label }: { onToken: (token: string) => void; label: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '', name: '' },
    schema,
    labels: { email: 'The e-mail address', name: 'The name' },
    act: localIdentityToken,
    onDone: (token) => {
      close();
      onToken(token);
    },
  });
  return (
    <>
      <Button variant="default" fullWidth leftSection={<GoogleMark />} onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title="Google, played by this machine">
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              Nothing is sent to Google. Say who you would be there; this machine signs the token.
            </Text>
            <TextInput label="E-mail address" type="email" data-autofocus {...form.getInputProps('email')} />
            <TextInput label="Name" {...form.getInputProps('name')} />
            <FormFoot error={error} isRunning={isRunning}>
              Continue
            </FormFoot>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
