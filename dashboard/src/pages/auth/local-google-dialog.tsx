import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Text, TextInput } from '@mantine/core';
import * as v from 'valibot';
import { email } from '#contract/accounts/email.ts';
import { text } from '#contract/shared/fields.ts';
import { useApiForm } from '../../api/form.ts';
import { readJson } from '../../api/response.ts';
import { FormFoot } from '../../components/notice.tsx';
import { Modal } from '../../components/overlays.tsx';

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
    labels: { email: t`Email`, name: t`Name` },
    act: localIdentityToken,
    onDone: (token) => {
      onClose();
      onToken(token);
    },
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Sign in with Google (local stand-in)`}>
      <form
        onSubmit={(event) => {
          // React passes the event on to the form around the button, which would be sent without the proof.
          event.stopPropagation();
          submit(event);
        }}
        noValidate
      >
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            <Trans>Nothing is sent to Google. Enter any email and name; this machine signs the token.</Trans>
          </Text>
          <TextInput label={t`Email`} type="email" data-autofocus {...form.getInputProps('email')} />
          <TextInput label={t`Name`} {...form.getInputProps('name')} />
          <FormFoot error={error} isRunning={isRunning}>
            <Trans>Continue</Trans>
          </FormFoot>
        </Stack>
      </form>
    </Modal>
  );
}

const IdentityToken = v.object({ token: v.string() });

/** Signs an identity token in place of Google. Only a local service can. */
async function localIdentityToken(person: { email: string; name: string }): Promise<string> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(person) };
  return (await readJson('/_local/identity-token', IdentityToken, init)).token;
}
