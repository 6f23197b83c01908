import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { allEvents, NewWebhook } from '#contract/webhooks/webhooks.ts';
import { call } from '../../../api/call.ts';
import { SecretDialog } from '../../../components/overlays/secret-dialog.tsx';
import { shownSecret } from './shown-secret.ts';
import type { WebhookValues } from './webhook-fields.tsx';
import { WebhookForm } from './webhook-form.tsx';

interface NewWebhookDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onCreated: (id: string) => void;
}

const initial: WebhookValues = { url: '', events: [allEvents], description: '' };

export function NewWebhookDialog({ isOpen, onClose, onCreated }: NewWebhookDialogProps) {
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      kind={shownSecret}
      title="Create webhook"
      secretTitle="Copy the secret"
      form={(show) => (
        <WebhookForm
          initial={initial}
          schema={NewWebhook}
          act={(body) => call(webhookRoutes.createWebhook, { body })}
          onDone={({ id, secret }) => {
            show(secret);
            onCreated(id);
          }}
          action="Create"
        />
      )}
    />
  );
}
