import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { NewKey } from '#contract/accounts/keys.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { call } from '../../../api/call.ts';
import { serverNow, useNow } from '../../../api/clock.ts';
import { useApiForm } from '../../../api/forms/use-api-form.ts';
import { FormFoot } from '../../../components/forms/form-foot.tsx';
import { SecretDialog } from '../../../components/overlays/secret-dialog.tsx';
import { dayOf } from '../../../lib/usage.ts';
import { expiryChoices, expiryOf } from './expiry-choice.ts';
import { limitBody, limitLabels } from './limit-body.ts';
import { OptionalLimits, unlimited } from './limit-fields.tsx';
import { shownKey } from './shown-key.tsx';

interface NewKeyDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function NewKeyDialog({ isOpen, onClose }: NewKeyDialogProps) {
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      kind={shownKey}
      title="Create API key"
      secretTitle="Copy your API key"
      form={(show) => <NewKeyForm onCreated={show} />}
    />
  );
}

function NewKeyForm({ onCreated }: { onCreated: (key: string) => void }) {
  const now = useNow();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '', expiry: 'never', date: '', ...unlimited },
    schema: NewKey,
    labels: { name: 'Name', expiresAt: 'Expiry date', ...limitLabels },
    act: async ({ name, expiry, date, ...limits }) => {
      const expiresAt = expiryOf(expiry, date, await serverNow());
      const body = { name, ...(expiresAt !== undefined && { expiresAt }), ...limitBody(limits) };
      return call(keyRoutes.createKey, { body });
    },
    onDone: ({ key }) => onCreated(key),
    invalidates: [keyRoutes.listKeys],
  });
  const tomorrow = dayOf(now + 86_400_000);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="Where the key is used, such as “website, production”"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <NativeSelect label="Expires" data={expiryChoices} {...form.getInputProps('expiry')} />
        {form.values.expiry === 'date' && (
          <TextInput
            label="Expiry date (UTC)"
            type="date"
            min={tomorrow}
            required
            {...form.getInputProps('date')}
            // The contract's field, which its refusals name.
            data-path="expiresAt"
            error={form.errors['expiresAt']}
            onChange={({ currentTarget }) => {
              form.setFieldValue('date', currentTarget.value);
              form.clearFieldError('expiresAt');
            }}
          />
        )}
        <OptionalLimits value={form.values} onChange={form.setValues} errors={form.errors} />
        <FormFoot
          error={error}
          isRunning={isRunning}
          disabled={form.values.expiry === 'date' && form.values.date === ''}
        >
          Create
        </FormFoot>
      </Stack>
    </form>
  );
}
