import { Modal, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { NewKey } from '#contract/accounts/keys.ts';
import { routes } from '#contract/routes.ts';
import { call } from '../../api/call.ts';
import { serverNow, useNow } from '../../api/surroundings.ts';
import { FormFoot } from '../../components/form-foot.tsx';
import { dayOf } from '../../lib/usage.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { expiryChoices, expiryOf } from './expiry-choice.ts';
import { ShownKey } from './shown-key.tsx';

interface NewKeyDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes a key, and shows it the one time it can be seen: then only its button closes the dialog. */
export function NewKeyDialog({ isOpen, onClose }: NewKeyDialogProps) {
  const [key, setKey] = useState<string>();
  function close(): void {
    setKey(undefined);
    onClose();
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={key === undefined ? 'New API key' : 'Copy your key now'}
      closeOnClickOutside={key === undefined}
      closeOnEscape={key === undefined}
      withCloseButton={key === undefined}
      size="lg"
    >
      {key === undefined ? <NewKeyForm onMade={setKey} /> : <ShownKey apiKey={key} onDone={close} />}
    </Modal>
  );
}

function NewKeyForm({ onMade }: { onMade: (key: string) => void }) {
  const now = useNow();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '', expiry: 'never', date: '' },
    schema: NewKey,
    labels: { name: 'The name', expiresAt: 'The day' },
    act: async ({ name, expiry, date }) => {
      const expiresAt = expiryOf(expiry, date, await serverNow());
      return call(routes.createKey, { body: { name, ...(expiresAt !== undefined && { expiresAt }) } });
    },
    onDone: ({ key }) => onMade(key),
    touches: [routes.listKeys],
  });
  const tomorrow = dayOf(now + 86_400_000);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="What will use it, such as “website, production”"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select label="Expires" data={expiryChoices} allowDeselect={false} {...form.getInputProps('expiry')} />
        {form.values.expiry === 'date' && (
          <TextInput
            label="Last day (UTC)"
            type="date"
            min={tomorrow}
            required
            error={form.errors['expiresAt']}
            {...form.getInputProps('date')}
          />
        )}
        <FormFoot
          error={error}
          isRunning={isRunning}
          disabled={form.values.expiry === 'date' && form.values.date === ''}
        >
          Create key
        </FormFoot>
      </Stack>
    </form>
  );
}
