import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ComponentPropsWithRef, ReactElement } from 'react';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { useAction } from '../../api/actions.ts';
import { call, perform } from '../../api/call.ts';
import { toApiError } from '../../api/response.ts';
import { confirm } from '../../components/dialogs.tsx';
import { useMenuTarget } from '../../components/menus.tsx';
import { notify } from '../../components/notifications.tsx';
import { rescueFocus, useOpening } from '../../lib/focus.ts';
import { EditWebhookDialog, RotateSecretDialog } from './webhook-dialogs.tsx';
import { titleOf, type WebhookRecord } from './webhook.tsx';

const { listWebhooks, listDeliveries, changeWebhook, deleteWebhook, testWebhook } = webhookRoutes;

export interface WebhookPopupProps {
  readonly webhook: WebhookRecord;
  /** Renders the menu's button, which is shown before this code has loaded. */
  readonly button: (props: Omit<ComponentPropsWithRef<'button'>, 'color' | 'style' | 'disabled'>) => ReactElement;
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
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
        notify({ message: toApiError(error).message, color: 'red' });
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
