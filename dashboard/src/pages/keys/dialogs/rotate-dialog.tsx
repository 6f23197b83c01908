import { NativeSelect, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { KeyRotation } from '#contract/accounts/keys.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { call } from '../../../api/call.ts';
import { useApiForm } from '../../../api/forms/use-api-form.ts';
import type { KeyRecord } from '../../../api/keys/key-list.ts';
import { FormFoot } from '../../../components/forms/form-foot.tsx';
import { SecretDialog } from '../../../components/overlays/secret-dialog.tsx';
import { shownKey } from './shown-key.tsx';

interface RotateDialogProps {
  readonly apiKey: KeyRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const graces = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
  { value: '604800', label: '7 days' },
  { value: '0', label: 'None, revoke immediately' },
];

/** Creates a new key; the old one works until the grace period ends. */
export function RotateDialog({ apiKey, isOpen, onClose }: RotateDialogProps) {
  const client = useQueryClient();

  function close(): void {
    onClose();
    // Not before: the old key's row, and this dialog with it, may leave the list.
    void client.invalidateQueries({ queryKey: [keyRoutes.listKeys.id] });
  }

  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={close}
      kind={shownKey}
      title={`Rotate “${apiKey.name}”`}
      secretTitle="Copy your new API key"
      form={(show) => <RotateForm apiKey={apiKey} onRotated={show} />}
    />
  );
}

function RotateForm({ apiKey, onRotated }: { apiKey: KeyRecord; onRotated: (key: string) => void }) {
  const { form, submit, isRunning, error } = useApiForm({
    initial: { grace: '86400' },
    schema: KeyRotation,
    labels: {},
    act: ({ grace }) => call(keyRoutes.rotateKey, { path: { id: apiKey.id }, body: { graceSeconds: Number(grace) } }),
    onDone: ({ key }) => onRotated(key),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">Creates a new key with the same name, expiry and limits.</Text>
        <NativeSelect label="Grace period for old key" data={graces} {...form.getInputProps('grace')} />
        <FormFoot error={error} isRunning={isRunning}>
          Rotate
        </FormFoot>
      </Stack>
    </form>
  );
}
