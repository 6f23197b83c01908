import { Stack } from '@mantine/core';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { NewWebhook, WebhookChange } from '#contract/webhooks/webhooks.ts';
import { call } from '../../../api/call.ts';
import { useApiForm } from '../../../api/use-api-form.ts';
import { FormFoot } from '../../../components/forms/form-foot.tsx';
import { Modal } from '../../../components/overlays/modal.tsx';
import type { WebhookRecord } from '../webhook.tsx';
import { formSchema, WebhookFields, type WebhookValues, webhookBody, webhookLabels } from './webhook-fields.tsx';

interface WebhookDialogProps {
  readonly webhook: WebhookRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function EditWebhookDialog({ webhook, isOpen, onClose }: WebhookDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Edit webhook" size="lg">
      <EditForm webhook={webhook} onDone={onClose} />
    </Modal>
  );
}

function EditForm({ webhook, onDone }: { webhook: WebhookRecord; onDone: () => void }) {
  const known = NewWebhook.entries.events;
  const initial: WebhookValues = {
    url: webhook.url,
    // Of one that this page does not know yet, nothing is shown.
    events: webhook.events.flatMap((event) => known.pipe[0].item.options.filter((option) => option === event)),
    description: webhook.description ?? '',
  };
  const { form, submit, isRunning, error } = useApiForm({
    initial,
    schema: formSchema(WebhookChange),
    labels: webhookLabels,
    act: (values) => call(webhookRoutes.changeWebhook, { path: { id: webhook.id }, body: webhookBody(values) }),
    onDone,
    invalidates: [webhookRoutes.listWebhooks],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <WebhookFields form={form} />
        <FormFoot error={error} isRunning={isRunning}>
          Save
        </FormFoot>
      </Stack>
    </form>
  );
}
