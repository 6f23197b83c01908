import { t, plural } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Menu, TextInput, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { InferInput } from 'valibot';
import * as v from 'valibot';
import { KeyChange } from '#contract/accounts/keys.ts';
import { ContentSetting } from '#contract/requests/stored-content.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { useAction } from '../../api/actions.ts';
import { perform, call } from '../../api/call.ts';
import { useConfig } from '../../api/config.ts';
import { schemaErrors } from '../../api/form-errors.ts';
import { useForm, useApiForm } from '../../api/form.ts';
import type { KeyRecord } from '../../api/keys.ts';
import { toApiError } from '../../api/response.ts';
import { ErrorNotice, FormFoot, Notice } from '../../components/notice.tsx';
import { notify, notifyError } from '../../components/notifications.tsx';
import {
  type MenuButton,
  type MenuProps,
  confirm,
  Modal,
  type DialogProps,
  useMenuTarget,
} from '../../components/overlays.tsx';
import { Allowed, RoleNotice } from '../../components/roles.tsx';
import { rescueFocus, useOpening } from '../../lib/focus.ts';
import { RotateDialog, LimitsDialog } from './key-dialogs.tsx';

interface KeyPopupProps extends MenuProps<MenuButton> {
  readonly apiKey: KeyRecord;
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
      notifyError(error);
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  return { change: (id: string, to: Change['to']) => mutate({ id, to }) };
}

interface ContentDialogProps extends DialogProps {
  readonly apiKey: KeyRecord;
}

function ContentDialog({ apiKey, isOpen, onClose }: ContentDialogProps) {
  const { storePrompts } = useConfig();
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Prompts and responses of “${{ name: apiKey.name }}”`} size="lg">
      <Stack gap="sm">
        {storePrompts ? (
          <ContentForm apiKey={apiKey} onDone={onClose} />
        ) : (
          <Notice tone="info">
            <Trans>This service does not store prompts and responses.</Trans>
          </Notice>
        )}
        {(storePrompts || apiKey.contentDays !== null) && <StoredContents apiKey={apiKey} />}
      </Stack>
    </Modal>
  );
}

const off = '0';
const daysOf = (choice: string): number | null => (choice === off ? null : Number(choice));

const choices = (current: number | null) => {
  const days = [...new Set([1, 7, 30, current ?? 1])].toSorted((one, other) => one - other);
  return [
    { value: off, label: t({ message: 'Off', context: 'storage' }) },
    ...days.map((count) => ({ value: String(count), label: storedFor(count) })),
  ];
};

const storedFor = (days: number): string => plural(days, { one: '# day', other: '# days' });

function ContentForm({ apiKey: { id, contentDays }, onDone }: { apiKey: KeyRecord; onDone: () => void }) {
  const permission = managing();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { days: String(contentDays ?? off) },
    schema: v.pipe(
      v.object({
        days: v.pipe(v.string(), v.transform(daysOf)),
      }),
      ContentSetting,
    ),
    labels: { days: t`Store for` },
    act: ({ days }) => call(keyRoutes.setKeyContent, { path: { id }, body: { days: daysOf(days) } }),
    onDone,
    invalidates: [keyRoutes.listKeys],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Notice tone="warning">
          <Trans>
            The full texts of calls with this key are stored, with everything personal or secret in them. Owners, admins
            and developers can read them under Logs.
          </Trans>
        </Notice>
        <RoleNotice {...permission} />
        <Allowed {...permission}>
          <NativeSelect
            label={t`Store for`}
            description={t`Applies to later calls. Turning it off deletes nothing.`}
            data={choices(contentDays)}
            data-autofocus
            {...form.getInputProps('days')}
          />
          <FormFoot error={error} isRunning={isRunning}>
            <Trans>Save</Trans>
          </FormFoot>
        </Allowed>
      </Stack>
    </form>
  );
}

/** Deletes what is stored. A large amount takes several requests. */
function StoredContents({ apiKey: { id, name } }: { apiKey: KeyRecord }) {
  const removal = useAction(async () => {
    let deleted = 0;
    for (let isDone = false; !isDone;) {
      const part = await call(keyRoutes.deleteKeyContent, { path: { id } });
      deleted += part.deleted;
      isDone = part.isDone;
    }
    return deleted;
  });

  async function remove(): Promise<void> {
    const deleted = await removal.run(undefined);
    if (deleted === undefined) return;
    notify({
      message: plural(deleted, {
        one: 'The prompt and response of # request are deleted.',
        other: 'The prompts and responses of # requests are deleted.',
      }),
    });
  }

  const ask = () =>
    confirm({
      title: t`Delete the stored prompts and responses of “${name}”?`,
      text: t`This cannot be undone. Requests stay in the logs without their texts.`,
      action: t`Delete all`,
      onConfirm: () => void remove(),
    });

  return (
    <Allowed {...managing()}>
      {removal.error && <ErrorNotice error={removal.error} />}
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          <Trans>What is stored can be deleted at any time.</Trans>
        </Text>
        <Button variant="default" size="xs" loading={removal.isRunning} onClick={ask}>
          <Trans>Delete stored texts</Trans>
        </Button>
      </Group>
    </Allowed>
  );
}

const managing = () =>
  ({
    access: 'manage',
    what: t({
      message: 'store and delete prompts and responses',
      comment: 'After “Only owners and admins can”',
    }),
  }) as const;
