import { Skeleton, Stack, Switch, Text } from '@mantine/core';
import { type MailPreferences, mailKinds, type MailKind } from '#contract/accounts/mail-preferences.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { useData } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';

const texts: Readonly<Record<MailKind, readonly [label: string, description: string]>> = {
  planChanges: ['Plan changes', 'Your plan was changed, cancelled or resumed.'],
  renewals: ['Renewals', 'A new month of a plan without payment began. Paid months have receipts.'],
  receipts: ['Receipts', 'A payment was received. All receipts are also on the billing page.'],
  webhooks: ['Webhooks', 'A webhook was disabled after failed deliveries.'],
};

export function MailsPanel() {
  const { data, error, refetch } = useData(accountRoutes.getMailPreferences, {});
  return (
    <div id="emails">
      <Panel title="Email preferences">
        {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton height={240} radius="md" />}
        {data && <Switches preferences={data} />}
      </Panel>
    </div>
  );
}

function Switches({ preferences }: { preferences: MailPreferences }) {
  const save = useAction(
    (body: MailPreferences) => call(accountRoutes.setMailPreferences, { body }),
    [accountRoutes.getMailPreferences],
  );
  async function change(kind: MailKind, isOn: boolean): Promise<void> {
    if (await save.run({ ...preferences, [kind]: isOn }))
      notify({ message: `${texts[kind][0]}: emails are ${isOn ? 'on' : 'off'}.` });
  }
  return (
    <Stack gap="sm">
      {mailKinds.map((kind) => (
        <Switch
          key={kind}
          label={texts[kind][0]}
          description={texts[kind][1]}
          checked={preferences[kind]}
          disabled={save.isRunning}
          onChange={({ currentTarget }) => void change(kind, currentTarget.checked)}
        />
      ))}
      {save.error && <ErrorNotice error={save.error} />}
      <Text size="sm" c="dimmed">
        Emails about sign-ins, keys, passwords and failed payments are always sent. Alerts have their own channels,
        above.
      </Text>
    </Stack>
  );
}
