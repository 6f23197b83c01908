import { Stack, Text, TextInput } from '@mantine/core';
import { ProfileChange } from '#contract/accounts/accounts.ts';
import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { call } from '../../api/call.ts';
import { useApiForm } from '../../api/forms/use-api-form.ts';
import { useMe } from '../../api/reads.ts';
import { notify } from '../../components/feedback/notifications.tsx';
import { FormFoot } from '../../components/forms/form-foot.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { formatDay } from '../../lib/format.ts';

export function ProfilePanel() {
  const { data: me } = useMe();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: me?.name ?? '' },
    schema: ProfileChange,
    labels: { name: 'Name' },
    act: (body) => call(accountRoutes.changeProfile, { body }),
    onDone: ({ name }) => notify({ message: `Name changed to ${name}.` }),
    invalidates: [accountRoutes.me],
  });
  return (
    <Panel title="Profile">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="Name" autoComplete="name" {...form.getInputProps('name')} />
          <Text size="sm" c="dimmed">
            {me && `Member since ${formatDay(me.created_at)}.`}
          </Text>
          <FormFoot error={error} isRunning={isRunning} style={{ alignSelf: 'flex-start' }}>
            Save
          </FormFoot>
        </Stack>
      </form>
    </Panel>
  );
}
