import { Stack, Text } from '@mantine/core';
import { KeyChange } from '#contract/accounts/keys.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { call } from '../../../api/call.ts';
import { useApiForm } from '../../../api/forms/use-api-form.ts';
import type { KeyRecord } from '../../../api/keys/key-list.ts';
import { FormFoot } from '../../../components/forms/form-foot.tsx';
import { Modal } from '../../../components/overlays/modal.tsx';
import { limitBody, limitLabels } from './limit-body.ts';
import { LimitFields, type Limits } from './limit-fields.tsx';

interface LimitsDialogProps {
  readonly apiKey: KeyRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Changes what a key may spend and be used for. */
export function LimitsDialog({ apiKey, isOpen, onClose }: LimitsDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={`Limits of “${apiKey.name}”`} size="lg">
      <LimitsForm apiKey={apiKey} onDone={onClose} />
    </Modal>
  );
}

function LimitsForm({ apiKey, onDone }: { apiKey: KeyRecord; onDone: () => void }) {
  const { limit, models, services } = apiKey;
  const initial: Limits = { limit: limit && { credits: limit.credits, period: limit.period }, models, services };
  const { form, submit, isRunning, error } = useApiForm({
    initial,
    schema: KeyChange,
    labels: limitLabels,
    act: (values) => call(keyRoutes.changeKey, { path: { id: apiKey.id }, body: limitBody(values) }),
    onDone,
    invalidates: [keyRoutes.listKeys],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">Limits apply from the next call.</Text>
        <LimitFields value={form.values} onChange={form.setValues} errors={form.errors} />
        <FormFoot error={error} isRunning={isRunning}>
          Save
        </FormFoot>
      </Stack>
    </form>
  );
}
