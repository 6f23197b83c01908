import { Select, Stack, Text } from '@mantine/core';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { SecretRotation } from '#contract/webhooks/webhooks.ts';
import { call } from '../../../api/call.ts';
import { useApiForm } from '../../../api/forms/use-api-form.ts';
import { FormFoot } from '../../../components/forms/form-foot.tsx';
import { SecretDialog } from '../../../components/overlays/secret-dialog.tsx';
import type { WebhookRecord } from '../webhook.tsx';
import { shownSecret } from './shown-secret.ts';

interface RotateSecretDialogProps {
  readonly webhook: WebhookRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const graces = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
  { value: '0', label: 'None, sign with the new secret only' },
];

/** Makes a new secret; the old one signs too until the grace period ends. */
export function RotateSecretDialog({ webhook, isOpen, onClose }: RotateSecretDialogProps) {
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      kind={shownSecret}
      title="Rotate secret"
      secretTitle="Copy the new secret"
      form={(show) => <RotateForm webhook={webhook} onRotated={show} />}
    />
  );
}

function RotateForm({ webhook, onRotated }: { webhook: WebhookRecord; onRotated: (secret: string) => void }) {
  const { form, submit, isRunning, error } = useApiForm({
    initial: { grace: '86400' },
    schema: SecretRotation,
    labels: {},
    act: ({ grace }) =>
      call(webhookRoutes.rotateWebhookSecret, { path: { id: webhook.id }, body: { graceSeconds: Number(grace) } }),
    onDone: ({ secret }) => onRotated(secret),
    invalidates: [webhookRoutes.listWebhooks],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">
          Requests are signed with both secrets during the grace period, so your server can switch over.
        </Text>
        <Select
          label="Grace period for old secret"
          data={graces}
          allowDeselect={false}
          {...form.getInputProps('grace')}
        />
        <FormFoot error={error} isRunning={isRunning}>
          Rotate
        </FormFoot>
      </Stack>
    </form>
  );
}
