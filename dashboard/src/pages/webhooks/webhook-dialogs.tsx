import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { MultiSelect, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import * as v from 'valibot';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { webhookEventTypes } from '#contract/webhooks/events.ts';
import { allEvents, NewWebhook, SecretRotation, WebhookChange } from '#contract/webhooks/webhooks.ts';
import { call } from '../../api/call.ts';
import { type Form, useApiForm } from '../../api/form.ts';
import { Modal } from '../../components/dialogs.tsx';
import { FormFoot } from '../../components/notice.tsx';
import { SecretDialog, type SecretKind } from '../../components/secret-dialog.tsx';
import type { WebhookRecord } from './webhook.tsx';

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
      kind={shownSecret()}
      title={t`Create webhook`}
      secretTitle={t`Copy the secret`}
      form={(show) => (
        <WebhookForm
          initial={initial}
          schema={NewWebhook}
          act={(body) => call(webhookRoutes.createWebhook, { body })}
          onDone={({ id, secret }) => {
            show(secret);
            onCreated(id);
          }}
          action={t`Create`}
        />
      )}
    />
  );
}

interface EditWebhookDialogProps {
  readonly webhook: WebhookRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function EditWebhookDialog({ webhook, isOpen, onClose }: EditWebhookDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Edit webhook`} size="lg">
      <WebhookForm
        initial={valuesOf(webhook)}
        schema={WebhookChange}
        act={(body) => call(webhookRoutes.changeWebhook, { path: { id: webhook.id }, body })}
        onDone={onClose}
        action={t`Save`}
      />
    </Modal>
  );
}

function valuesOf({ url, events, description }: WebhookRecord): WebhookValues {
  const known = NewWebhook.entries.events.pipe[0].item.options;
  return {
    url,
    // Omits events that this page does not know yet.
    events: events.flatMap((event) => known.filter((option) => option === event)),
    description: description ?? '',
  };
}

interface RotateSecretDialogProps {
  readonly webhook: WebhookRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const graces = () => [
  { value: '3600', label: t`1 hour` },
  { value: '86400', label: t`24 hours` },
  { value: '0', label: t`None, sign with the new secret only` },
];

export function RotateSecretDialog({ webhook, isOpen, onClose }: RotateSecretDialogProps) {
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      kind={shownSecret()}
      title={t`Rotate secret`}
      secretTitle={t`Copy the new secret`}
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
          <Trans>Requests are signed with both secrets during the grace period, so your server can switch over.</Trans>
        </Text>
        <Select
          label={t`Grace period for old secret`}
          data={graces()}
          allowDeselect={false}
          {...form.getInputProps('grace')}
        />
        <FormFoot error={error} isRunning={isRunning}>
          <Trans>Rotate</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}

interface WebhookFormProps<Result> {
  readonly initial: WebhookValues;
  /** The contract's schema of the body. */
  readonly schema: v.GenericSchema;
  readonly act: (body: ReturnType<typeof webhookBody>) => Promise<Result>;
  readonly onDone: (result: Result) => void;
  readonly action: string;
}

function WebhookForm<Result>({ initial, schema, act, onDone, action }: WebhookFormProps<Result>) {
  const { form, submit, isRunning, error } = useApiForm({
    initial,
    schema: formSchema(schema),
    labels: { url: t`URL`, events: t`Events`, description: t`Description` },
    act: (values) => act(webhookBody(values)),
    onDone,
    invalidates: [webhookRoutes.listWebhooks],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <WebhookFields form={form} />
        <FormFoot error={error} isRunning={isRunning}>
          {action}
        </FormFoot>
      </Stack>
    </form>
  );
}

type WebhookValues = {
  url: string;
  events: v.InferInput<typeof NewWebhook>['events'];
  description: string;
};

/** Request body. Null replaces an empty description. */
const webhookBody = ({ url, events, description }: WebhookValues) => ({
  url,
  events,
  description: description.trim() === '' ? null : description,
});

/** Applies the contract's schema to the form values. */
const formSchema = (schema: v.GenericSchema) =>
  v.pipe(
    v.custom<WebhookValues>(() => true),
    v.transform((values): unknown => webhookBody(values)),
    schema,
  );

const choices = webhookEventTypes
  .filter((type) => type !== 'webhook.test')
  .map((type) => ({ value: type, label: type }));

function WebhookFields({ form }: { form: Form<WebhookValues> }) {
  const { events } = form.values;
  const isAll = events.includes(allEvents);
  return (
    <>
      <TextInput
        label="URL"
        type="url"
        placeholder="https://example.com/webhooks"
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TextInput
        label={t`Description`}
        description={t`Purpose, such as “billing, production”`}
        {...form.getInputProps('description')}
      />
      <Switch
        label={t`All events, including future ones`}
        checked={isAll}
        onChange={({ currentTarget }) => form.setFieldValue('events', currentTarget.checked ? [allEvents] : [])}
      />
      {!isAll && (
        <MultiSelect
          label={t`Events`}
          data={choices}
          searchable
          clearable
          maxDropdownHeight={260}
          value={events}
          error={form.errors['events']}
          onChange={(chosen) =>
            form.setFieldValue(
              'events',
              webhookEventTypes.filter((type) => chosen.includes(type)),
            )
          }
          data-path="events"
        />
      )}
    </>
  );
}

const shownSecret = (): SecretKind => ({
  what: t({ message: 'secret', comment: 'After “Copy”' }),
  label: t`Secret`,
  notice: t`This secret is shown only once. Your server uses it to verify that requests come from this service.`,
});
