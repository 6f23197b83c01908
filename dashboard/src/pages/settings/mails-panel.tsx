import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Skeleton, Stack, Switch, Text } from '@mantine/core';
import { type MailPreferences, mailKinds, type MailKind } from '#contract/accounts/mail-preferences.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { useData } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';

const texts: Readonly<Record<MailKind, readonly [label: MessageDescriptor, description: MessageDescriptor]>> = {
  planChanges: [msg`Plan changes`, msg`Your plan was changed, cancelled or resumed.`],
  renewals: [msg`Renewals`, msg`A new month of a plan without payment began. Paid months have receipts.`],
  receipts: [msg`Receipts`, msg`A payment was received. All receipts are also on the billing page.`],
  webhooks: [msg`Webhooks`, msg`A webhook was disabled after failed deliveries.`],
};

export function MailsPanel() {
  const { data, error, refetch } = useData(accountRoutes.getMailPreferences, {});
  return (
    <Panel id="emails" title={t`Email preferences`}>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={240} radius="md" />}
      {data && <Switches preferences={data} />}
    </Panel>
  );
}

function Switches({ preferences }: { preferences: MailPreferences }) {
  const save = useAction(
    (body: MailPreferences) => call(accountRoutes.setMailPreferences, { body }),
    [accountRoutes.getMailPreferences],
  );
  async function change(kind: MailKind, isOn: boolean): Promise<void> {
    if (!(await save.run({ ...preferences, [kind]: isOn }))) return;
    const label = i18n._(texts[kind][0]);
    notify({ message: isOn ? t`${label}: emails are on.` : t`${label}: emails are off.` });
  }
  return (
    <Stack gap="sm">
      {mailKinds.map((kind) => (
        <Switch
          key={kind}
          label={i18n._(texts[kind][0])}
          description={i18n._(texts[kind][1])}
          checked={preferences[kind]}
          disabled={save.isRunning}
          onChange={({ currentTarget }) => void change(kind, currentTarget.checked)}
        />
      ))}
      {save.error && <ErrorNotice error={save.error} />}
      <Text size="sm" c="dimmed">
        <Trans>
          Emails about sign-ins, keys, passwords and failed payments are always sent. Alerts have their own channels,
          above.
        </Trans>
      </Text>
    </Stack>
  );
}
