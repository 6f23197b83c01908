import { NativeSelect, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { KeyRotation } from '#contract/accounts/keys.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { call } from '../../api/call.ts';
import type { KeyRecord } from '../../api/key-list.ts';
import { useApiForm } from '../../api/use-api-form.ts';
import { FormFoot } from '../../components/forms/form-foot.tsx';
import { Modal } from '../../components/overlays/modal.tsx';
import { ShownKey } from './shown-key.tsx';

interface RotateDialogProps {
  readonly apiKey: KeyRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const graces = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
  { value: '604800', label: '7 days' },
  { value: '0', label: 'None: revoke immediately' },
];

/** Creates a new key; the old one works until the grace period ends. */
export function RotateDialog({ apiKey, isOpen, onClose }: RotateDialogProps) {
  const [key, setKey] = useState<string>();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { grace: '86400' },
    schema: KeyRotation,
    labels: {},
    act: ({ grace }) => call(keyRoutes.rotateKey, { path: { id: apiKey.id }, body: { graceSeconds: Number(grace) } }),
    onDone: (made) => setKey(made.key),
  });
  const client = useQueryClient();

  function close(): void {
    setKey(undefined);
    onClose();
    // Not before: the old key's row, and this dialog with it, may leave the list.
    void client.invalidateQueries({ queryKey: [keyRoutes.listKeys.id] });
  }

  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={key === undefined ? `Rotate “${apiKey.name}”` : 'Copy your new API key'}
      closeOnClickOutside={key === undefined}
      closeOnEscape={key === undefined}
      withCloseButton={key === undefined}
      size="lg"
    >
      {key === undefined ? (
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <Text size="sm">Creates a new key with the same name, expiry and limits.</Text>
            <NativeSelect label="Grace period for old key" data={graces} {...form.getInputProps('grace')} />
            <FormFoot error={error} isRunning={isRunning}>
              Rotate
            </FormFoot>
          </Stack>
        </form>
      ) : (
        <ShownKey apiKey={key} onDone={close} />
      )}
    </Modal>
  );
}
