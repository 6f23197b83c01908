import { Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import * as v from 'valibot';
import { email } from '#contract/accounts/email.ts';
import { text } from '#contract/shared/fields.ts';
import { localIdentityToken } from '../../api/local-service.ts';
import { useApiForm } from '../../api/use-api-form.ts';
import { FormFoot } from '../../components/form-foot.tsx';
import { GoogleMark } from './google-mark.tsx';

const schema = v.object({ email, name: text(200) });

/** Stands in for Google on one machine: the local issuer signs any email and name. */
export function LocalGoogle({ onToken, label }: { onToken: (token: string) => void; label: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '', name: '' },
    schema,
    labels: { email: 'Email', name: 'Name' },
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
      <Modal opened={isOpen} onClose={close} title="Sign in with Google (local stand-in)">
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
    </>
  );
}
