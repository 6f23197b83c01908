import { Button, Group, TextInput } from '@mantine/core';
import { KeyChange } from '#contract/accounts/keys.ts';
import { schemaErrors } from '../../../api/forms/form-errors.ts';
import type { KeyRecord } from '../../../api/keys/key-list.ts';
import { Modal } from '../../../components/overlays/modal.tsx';
import { useForm } from '../../../lib/hooks/use-form.ts';
import { useKeyChange } from '../use-key-change.ts';

interface RenameDialogProps {
  readonly apiKey: KeyRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function RenameDialog({ apiKey, isOpen, onClose }: RenameDialogProps) {
  const { change } = useKeyChange();
  const form = useForm({
    initialValues: { name: apiKey.name },
    validate: (values) => schemaErrors(KeyChange, values, { name: 'Name' }),
  });
  const rename = form.onSubmit(({ name }) => {
    change(apiKey.id, { name });
    onClose();
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title="Rename API key">
      <form onSubmit={rename} noValidate>
        <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Rename</Button>
        </Group>
      </form>
    </Modal>
  );
}
