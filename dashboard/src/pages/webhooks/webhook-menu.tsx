import { ActionIcon, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useRef } from 'react';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { toApiError } from '../../api/api-error.ts';
import { call, perform } from '../../api/call.ts';
import { useAction } from '../../api/use-data.ts';
import { confirm } from '../../components/confirm.tsx';
import { Icon } from '../../components/icon.tsx';
import { rescueFocus } from '../../lib/rescue-focus.ts';
import { EditWebhookDialog } from './dialogs/edit-webhook-dialog.tsx';
import { RotateSecretDialog } from './dialogs/rotate-secret-dialog.tsx';
import { titleOf, type WebhookRecord } from './webhook.tsx';

const { listWebhooks, listDeliveries, changeWebhook, deleteWebhook, testWebhook } = webhookRoutes;

/** The actions of a webhook. */
export function WebhookMenu({ webhook }: { webhook: WebhookRecord }) {
  const [isEditing, editing] = useDisclosure(false);
  const [isRotating, rotating] = useDisclosure(false);
  const target = useRef<HTMLButtonElement>(null);
  const { id, status } = webhook;
  const title = titleOf(webhook);
  const isActive = status === 'active';

  const action = useAction(
    async ({ act, done }: { act: () => Promise<unknown>; done: string }) => {
      try {
        await act();
        notifications.show({ message: done });
      } catch (error) {
        notifications.show({ message: toApiError(error).message, color: 'red' });
      }
    },
    [listWebhooks, listDeliveries],
  );
  const run = (act: () => Promise<unknown>, done: string) => void action.run({ act, done });

  const test = () => run(() => call(testWebhook, { path: { id } }), 'The test is on its way.');
  const setStatus = (next: 'active' | 'disabled') =>
    run(
      () => call(changeWebhook, { path: { id }, body: { status: next } }),
      `“${title}” is ${next === 'active' ? 'enabled' : 'disabled'}.`,
    );
  const remove = () =>
    confirm({
      title: `Delete “${title}”?`,
      text: 'It is sent nothing more, and its deliveries are no longer shown. This cannot be undone.',
      action: 'Delete webhook',
      onConfirm: () => {
        run(() => perform(deleteWebhook, { path: { id } }), `“${title}” is deleted.`);
        rescueFocus();
      },
    });

  /** A dialog returns the focus to what has it now, which must not be an item of the closing menu. */
  const opening = (open: () => void) => () => {
    target.current?.focus();
    open();
  };

  return (
    <>
      <Menu position="bottom-end" width={190}>
        <Menu.Target>
          <ActionIcon ref={target} variant="subtle" color="gray" size="lg" aria-label={`Actions for ${title}`}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isActive && <Menu.Item onClick={test}>Send test</Menu.Item>}
          <Menu.Item onClick={opening(editing.open)}>Edit</Menu.Item>
          <Menu.Item onClick={opening(rotating.open)}>Rotate secret</Menu.Item>
          {isActive && <Menu.Item onClick={() => setStatus('disabled')}>Disable</Menu.Item>}
          {!isActive && <Menu.Item onClick={() => setStatus('active')}>Enable</Menu.Item>}
          <Menu.Divider role="separator" />
          <Menu.Item c="var(--danger-ink)" onClick={opening(remove)}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <EditWebhookDialog webhook={webhook} isOpen={isEditing} onClose={editing.close} />
      <RotateSecretDialog webhook={webhook} isOpen={isRotating} onClose={rotating.close} />
    </>
  );
}
