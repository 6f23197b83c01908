import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Menu, MultiSelect, Stack, Switch, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import * as v from 'valibot';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import {
  webhookEventTypes,
  allEvents,
  NewWebhook,
  SecretRotation,
  WebhookChange,
} from '#contract/webhooks/webhooks.ts';
import { useAction } from '../../api/actions.ts';
import { call, perform } from '../../api/call.ts';
import { type Form, useApiForm } from '../../api/form.ts';
import { FormFoot } from '../../components/notice.tsx';
import { notify, notifyError } from '../../components/notifications.tsx';
import { type MenuButton, type MenuProps, Modal, confirm, useMenuTarget } from '../../components/overlays.tsx';
import { RotateForm, SecretDialog, type SecretKind } from '../../components/secret-dialog.tsx';
import { rescueFocus, useOpening } from '../../lib/focus.ts';
import { type WebhookRecord, titleOf } from './webhook.tsx';

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

function EditWebhookDialog({ webhook, isOpen, onClose }: EditWebhookDialogProps) {
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

function RotateSecretDialog({ webhook, isOpen, onClose }: RotateSecretDialogProps) {
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      kind={shownSecret()}
      title={t`Rotate secret`}
      secretTitle={t`Copy the new secret`}
      form={(show) => (
        <RotateForm
          text={t`Requests are signed with both secrets during the grace period, so your server can switch over.`}
          label={t`Grace period for old secret`}
          graces={graces()}
          schema={SecretRotation}
          act={(body) => call(webhookRoutes.rotateWebhookSecret, { path: { id: webhook.id }, body })}
          onRotated={({ secret }) => show(secret)}
          invalidates={[webhookRoutes.listWebhooks]}
        />
      )}
    />
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

const { listWebhooks, listDeliveries, changeWebhook, deleteWebhook, testWebhook } = webhookRoutes;

interface WebhookPopupProps extends MenuProps<MenuButton> {
  readonly webhook: WebhookRecord;
}

export default function WebhookPopup({ webhook, button, isOpen, onChange }: WebhookPopupProps) {
  const [isEditing, editing] = useDisclosure(false);
  const [isRotating, rotating] = useDisclosure(false);
  const { ref, opening } = useMenuTarget();
  const { id, status } = webhook;
  const title = titleOf(webhook);
  const isActive = status === 'active';

  const action = useAction(
    async ({ act, done }: { act: () => Promise<unknown>; done: string }) => {
      try {
        await act();
        notify({ message: done });
      } catch (error) {
        notifyError(error);
      }
    },
    [listWebhooks, listDeliveries],
  );
  const run = (act: () => Promise<unknown>, done: string) => void action.run({ act, done });

  const test = () => run(() => call(testWebhook, { path: { id } }), t`Test event queued.`);
  const setStatus = (next: 'active' | 'disabled') =>
    run(
      () => call(changeWebhook, { path: { id }, body: { status: next } }),
      next === 'active' ? t`“${title}” is enabled.` : t`“${title}” is disabled.`,
    );
  const remove = () =>
    confirm({
      title: t`Delete “${title}”?`,
      text: t`It stops receiving events, and its deliveries are deleted. This cannot be undone.`,
      action: t`Delete webhook`,
      onConfirm: () => {
        run(() => perform(deleteWebhook, { path: { id } }), t`“${title}” is deleted.`);
        rescueFocus();
      },
    });

  return (
    <>
      <Menu position="bottom-end" width={190} opened={useOpening(isOpen)} onChange={onChange}>
        <Menu.Target>{button({ ref, autoFocus: true })}</Menu.Target>
        <Menu.Dropdown>
          {isActive && (
            <Menu.Item onClick={test}>
              <Trans>Send test</Trans>
            </Menu.Item>
          )}
          <Menu.Item onClick={opening(editing.open)}>
            <Trans>Edit</Trans>
          </Menu.Item>
          <Menu.Item onClick={opening(rotating.open)}>
            <Trans>Rotate secret</Trans>
          </Menu.Item>
          {isActive && (
            <Menu.Item onClick={() => setStatus('disabled')}>
              <Trans>Disable</Trans>
            </Menu.Item>
          )}
          {!isActive && (
            <Menu.Item onClick={() => setStatus('active')}>
              <Trans>Enable</Trans>
            </Menu.Item>
          )}
          <Menu.Divider role="separator" />
          <Menu.Item c="var(--danger-ink)" onClick={opening(remove)}>
            <Trans>Delete</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <EditWebhookDialog webhook={webhook} isOpen={isEditing} onClose={editing.close} />
      <RotateSecretDialog webhook={webhook} isOpen={isRotating} onClose={rotating.close} />
    </>
  );
}
