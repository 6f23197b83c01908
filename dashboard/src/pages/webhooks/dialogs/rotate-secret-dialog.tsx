import { Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { SecretRotation } from '#contract/webhooks/webhooks.ts';
import { call } from '../../../api/call.ts';
import { useApiForm } from '../../../api/use-api-form.ts';
import { FormFoot } from '../../../components/forms/form-foot.tsx';
import { Modal } from '../../../components/overlays/modal.tsx';
import type { WebhookRecord } from '../webhook.tsx';
import { ShownSecret } from './shown-secret.tsx';

interface RotateSecretDialogProps {
  readonly webhook: WebhookRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const graces = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
  { value: '0', label: 'None: only the new secret signs' },
];

/** Makes a new secret; the old one signs too until the grace period ends. */
export function RotateSecretDialog({ webhook, isOpen, onClose }: RotateSecretDialogProps) {
  const [secret, setSecret] = useState<string>();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { grace: '86400' },
    schema: SecretRotation,
    labels: {},
    act: ({ grace }) =>
      call(webhookRoutes.rotateWebhookSecret, { path: { id: webhook.id }, body: { graceSeconds: Number(grace) } }),
    onDone: (made) => setSecret(made.secret),
    invalidates: [webhookRoutes.listWebhooks],
  });

  function close(): void {
    setSecret(undefined);
    onClose();
  }

  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={secret === undefined ? 'Rotate secret' : 'Copy the new secret'}
      closeOnClickOutside={secret === undefined}
      closeOnEscape={secret === undefined}
      withCloseButton={secret === undefined}
      size="lg"
    >
      {secret === undefined ? (
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <Text size="sm">
              Requests are signed with both secrets during the grace period, so that your server can change over.
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
      ) : (
        <ShownSecret secret={secret} onDone={close} />
      )}
    </Modal>
  );
}
