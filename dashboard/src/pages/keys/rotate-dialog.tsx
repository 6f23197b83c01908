import { Modal, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { KeyRotation } from '#contract/accounts/keys.ts';
import { routes } from '#contract/routes.ts';
import { call } from '../../api/call.ts';
import type { KeyRecord } from '../../api/key-list.ts';
import { FormFoot } from '../../components/form-foot.tsx';
import { useApiForm } from '../../lib/use-api-form.ts';
import { ShownKey } from './shown-key.tsx';

interface RotateDialogProps {
  readonly apiKey: KeyRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const graces = [
  { value: '3600', label: 'for an hour' },
  { value: '86400', label: 'for a day' },
  { value: '604800', label: 'for 7 days' },
  { value: '0', label: 'not at all: end it now' },
];

/** A new key at once; the old one goes on for a while, so that programs can change over without a gap. */
export function RotateDialog({ apiKey, isOpen, onClose }: RotateDialogProps) {
  const [key, setKey] = useState<string>();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { grace: '86400' },
    schema: KeyRotation,
    labels: {},
    act: ({ grace }) => call(routes.rotateKey, { path: { id: apiKey.id }, body: { graceSeconds: Number(grace) } }),
    onDone: (made) => setKey(made.key),
  });
  const client = useQueryClient();

  function close(): void {
    setKey(undefined);
    onClose();
    // Not before: the old key's row, and this dialog with it, may leave the list.
    void client.invalidateQueries({ queryKey: [routes.listKeys.id] });
  }

  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={key === undefined ? `Rotate “${apiKey.name}”` : 'Copy your new key now'}
      closeOnClickOutside={key === undefined}
      closeOnEscape={key === undefined}
      withCloseButton={key === undefined}
      size="lg"
    >
      {key === undefined ? (
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <Text size="sm">You get a new key with the same name and expiry. Put it into your programs.</Text>
            <Select
              label="The old key goes on working"
              data={graces}
              allowDeselect={false}
              {...form.getInputProps('grace')}
            />
            <FormFoot error={error} isRunning={isRunning}>
              Make the new key
            </FormFoot>
          </Stack>
        </form>
      ) : (
        <ShownKey apiKey={key} onDone={close} />
      )}
    </Modal>
  );
}
