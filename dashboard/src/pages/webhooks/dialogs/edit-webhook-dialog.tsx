import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { NewWebhook, WebhookChange } from '#contract/webhooks/webhooks.ts';
import { call } from '../../../api/call.ts';
import { Modal } from '../../../components/overlays/modal.tsx';
import type { WebhookRecord } from '../webhook.tsx';
import type { WebhookValues } from './webhook-fields.tsx';
import { WebhookForm } from './webhook-form.tsx';

interface EditWebhookDialogProps {
  readonly webhook: WebhookRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function EditWebhookDialog({ webhook, isOpen, onClose }: EditWebhookDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Edit webhook" size="lg">
      <WebhookForm
        initial={valuesOf(webhook)}
        schema={WebhookChange}
        act={(body) => call(webhookRoutes.changeWebhook, { path: { id: webhook.id }, body })}
        onDone={onClose}
        action="Save"
      />
    </Modal>
  );
}

function valuesOf({ url, events, description }: WebhookRecord): WebhookValues {
  const known = NewWebhook.entries.events.pipe[0].item.options;
  return {
    url,
    // Of one that this page does not know yet, nothing is shown.
    events: events.flatMap((event) => known.filter((option) => option === event)),
    description: description ?? '',
  };
}
