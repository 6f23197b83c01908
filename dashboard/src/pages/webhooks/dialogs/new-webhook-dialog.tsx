import { Stack } from '@mantine/core';
import { useState } from 'react';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { allEvents, NewWebhook } from '#contract/webhooks/webhooks.ts';
import { call } from '../../../api/call.ts';
import { useApiForm } from '../../../api/use-api-form.ts';
import { FormFoot } from '../../../components/forms/form-foot.tsx';
import { Modal } from '../../../components/overlays/modal.tsx';
import { ShownSecret } from './shown-secret.tsx';
import { formSchema, WebhookFields, type WebhookValues, webhookBody, webhookLabels } from './webhook-fields.tsx';

interface NewWebhookDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onCreated: (id: string) => void;
}

/** Creates a webhook, and shows its secret once: then only the Done button closes the dialog. */
export function NewWebhookDialog({ isOpen, onClose, onCreated }: NewWebhookDialogProps) {
  const [secret, setSecret] = useState<string>();
  function close(): void {
    setSecret(undefined);
    onClose();
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={secret === undefined ? 'Create webhook' : 'Copy the secret'}
      closeOnClickOutside={secret === undefined}
      closeOnEscape={secret === undefined}
      withCloseButton={secret === undefined}
      size="lg"
    >
      {secret === undefined ? (
        <NewWebhookForm
          onDone={({ id, secret: made }) => {
            setSecret(made);
            onCreated(id);
          }}
        />
      ) : (
        <ShownSecret secret={secret} onDone={close} />
      )}
    </Modal>
  );
}

function NewWebhookForm({ onDone }: { onDone: (made: { id: string; secret: string }) => void }) {
  const initial: WebhookValues = { url: '', events: [allEvents], description: '' };
  const { form, submit, isRunning, error } = useApiForm({
    initial,
    schema: formSchema(NewWebhook),
    labels: webhookLabels,
    act: (values) => call(webhookRoutes.createWebhook, { body: webhookBody(values) }),
    onDone,
    invalidates: [webhookRoutes.listWebhooks],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <WebhookFields form={form} />
        <FormFoot error={error} isRunning={isRunning}>
          Create
        </FormFoot>
      </Stack>
    </form>
  );
}
