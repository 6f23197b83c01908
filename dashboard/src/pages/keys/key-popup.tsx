import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Menu, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ComponentPropsWithRef, ReactElement } from 'react';
import type { InferInput } from 'valibot';
import { KeyChange } from '#contract/accounts/keys.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { useAction } from '../../api/actions.ts';
import { perform } from '../../api/call.ts';
import { schemaErrors } from '../../api/form-errors.ts';
import { useForm } from '../../api/form.ts';
import type { KeyRecord } from '../../api/keys.ts';
import { toApiError } from '../../api/response.ts';
import { confirm, Modal } from '../../components/dialogs.tsx';
import { useMenuTarget } from '../../components/menus.tsx';
import { notify } from '../../components/notifications.tsx';
import { rescueFocus, useOpening } from '../../lib/focus.ts';
import { ContentDialog } from './key-content.tsx';
import { RotateDialog } from './key-dialogs.tsx';
import { LimitsDialog } from './key-limits.tsx';

export interface KeyPopupProps {
  readonly apiKey: KeyRecord;
  /** Renders the menu's button, which is shown before this code has loaded. */
  readonly button: (props: Omit<ComponentPropsWithRef<'button'>, 'color' | 'style' | 'disabled'>) => ReactElement;
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
}

export default function KeyPopup({ apiKey, button, isOpen, onChange }: KeyPopupProps) {
  const [isRenaming, renaming] = useDisclosure(false);
  const [isRotating, rotating] = useDisclosure(false);
  const [isLimiting, limiting] = useDisclosure(false);
  const [isStoring, storing] = useDisclosure(false);
  const { change } = useKeyChange();
  const { ref, opening } = useMenuTarget();
  const revoke = useAction(
    () =>
      perform(keyRoutes.revokeKey, { path: { id: apiKey.id } }).then(
        () => 'revoked' as const,
        (error: unknown) => {
          if (toApiError(error).status === 404) return 'missing' as const;
          throw error;
        },
      ),
    [keyRoutes.listKeys],
  );
  const { id, name, status, suspendedByOperator } = apiKey;
  const canChange = status === 'active' || status === 'suspended';

  async function end(): Promise<void> {
    const done = await revoke.run(undefined);
    rescueFocus();
    if (done === 'revoked') notify({ message: t`“${name}” is revoked.` });
    else if (done === 'missing') notify({ message: t`“${name}” no longer exists.` });
    else notify({ message: t`“${name}” could not be revoked. Try again.`, color: 'red' });
  }

  const askToRevoke = () =>
    confirm({
      title: t`Revoke “${name}”?`,
      text:
        status === 'active'
          ? t`Calls with this key are rejected immediately. This cannot be undone; to replace a key without downtime, rotate it.`
          : t`Calls with this key are rejected immediately. This cannot be undone.`,
      action: t`Revoke key`,
      onConfirm: () => void end(),
    });

  return (
    <>
      <Menu position="bottom-end" width={190} opened={useOpening(isOpen)} onChange={onChange}>
        <Menu.Target>{button({ ref, autoFocus: true })}</Menu.Target>
        <Menu.Dropdown>
          {suspendedByOperator && status === 'suspended' && (
            <Menu.Label fw={400}>
              <Trans>Suspended by an operator. Create a new key.</Trans>
            </Menu.Label>
          )}
          {canChange && (
            <Menu.Item onClick={opening(renaming.open)}>
              <Trans>Rename</Trans>
            </Menu.Item>
          )}
          {canChange && (
            <Menu.Item onClick={opening(limiting.open)}>
              <Trans>Edit limits</Trans>
            </Menu.Item>
          )}
          {canChange && (
            <Menu.Item onClick={opening(storing.open)}>
              <Trans>Store prompts</Trans>
            </Menu.Item>
          )}
          {status === 'active' && (
            <Menu.Item onClick={() => change(id, { status: 'suspended' })}>
              <Trans>Suspend</Trans>
            </Menu.Item>
          )}
          {status === 'suspended' && !suspendedByOperator && (
            <Menu.Item onClick={() => change(id, { status: 'active' })}>
              {t({ message: 'Resume', comment: 'Ends the suspension of an API key' })}
            </Menu.Item>
          )}
          {status === 'active' && (
            <Menu.Item onClick={opening(rotating.open)}>
              <Trans>Rotate</Trans>
            </Menu.Item>
          )}
          {canChange && <Menu.Divider role="separator" />}
          <Menu.Item c="var(--danger-ink)" onClick={opening(askToRevoke)}>
            <Trans>Revoke</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RenameDialog apiKey={apiKey} isOpen={isRenaming} onClose={renaming.close} />
      <LimitsDialog apiKey={apiKey} isOpen={isLimiting} onClose={limiting.close} />
      <ContentDialog apiKey={apiKey} isOpen={isStoring} onClose={storing.close} />
      <RotateDialog apiKey={apiKey} isOpen={isRotating} onClose={rotating.close} />
    </>
  );
}

interface RenameDialogProps {
  readonly apiKey: KeyRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function RenameDialog({ apiKey, isOpen, onClose }: RenameDialogProps) {
  const { change } = useKeyChange();
  const form = useForm({
    initialValues: { name: apiKey.name },
    validate: (values) => schemaErrors(KeyChange, values, { name: t`Name` }),
  });
  const rename = form.onSubmit(({ name }) => {
    change(apiKey.id, { name });
    onClose();
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Rename API key`}>
      <form onSubmit={rename} noValidate>
        <TextInput label={t`Name`} data-autofocus {...form.getInputProps('name')} />
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit">
            <Trans>Rename</Trans>
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

interface Change {
  readonly id: string;
  readonly to: InferInput<typeof KeyChange>;
}

const queryKey = [keyRoutes.listKeys.id, {}];

/** Changes a key's name or status. The list shows the change immediately and reverts it if the request fails. */
function useKeyChange() {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ id, to }: Change) => perform(keyRoutes.changeKey, { path: { id }, body: to }),
    onMutate: async ({ id, to: { name, status } }) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueryData<KeyRecord[]>(queryKey);
      const changed = before?.map((key) =>
        key.id === id ? { ...key, ...(name !== undefined && { name }), ...(status && { status }) } : key,
      );
      client.setQueryData(queryKey, changed);
      return before;
    },
    onError: (error, _, before) => {
      client.setQueryData(queryKey, before);
      notify({ message: toApiError(error).message, color: 'red' });
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  return { change: (id: string, to: Change['to']) => mutate({ id, to }) };
}
