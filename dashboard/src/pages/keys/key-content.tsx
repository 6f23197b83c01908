import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import * as v from 'valibot';
import { ContentSetting } from '#contract/requests/stored-content.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { useConfig } from '../../api/config.ts';
import { useApiForm } from '../../api/form.ts';
import type { KeyRecord } from '../../api/keys.ts';
import { Allowed, RoleNotice } from '../../components/allowed.tsx';
import { confirm, type DialogProps, Modal } from '../../components/dialogs.tsx';
import { ErrorNotice, FormFoot, Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';

interface ContentDialogProps extends DialogProps {
  readonly apiKey: KeyRecord;
}

export function ContentDialog({ apiKey, isOpen, onClose }: ContentDialogProps) {
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
