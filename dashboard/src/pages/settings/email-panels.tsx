import { i18n, type MessageDescriptor } from '@lingui/core';
import { t, msg } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Button, Group, Stack, Text, TextInput, Skeleton, Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import * as v from 'valibot';
import { EmailChange } from '#contract/accounts/accounts.ts';
import { type MailPreferences, mailKinds, type MailKind } from '#contract/accounts/preferences.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { useAction } from '../../api/actions.ts';
import { perform, call } from '../../api/call.ts';
import { useConfig, useNow } from '../../api/config.ts';
import { useApiForm } from '../../api/form.ts';
import { useMe, useData } from '../../api/reads.ts';
import { Unconfirmed } from '../../components/emails.tsx';
import { ErrorNotice, FormFoot, Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Modal } from '../../components/overlays.tsx';
import { Panel } from '../../components/page.tsx';
import { formatFromNow } from '../../lib/format.ts';
import { noProof, OwnerProof, proofOf, useProofFields } from './owner-proof.tsx';

export function EmailPanel() {
  const { data: me } = useMe();
  const [isOpen, { open, close }] = useDisclosure(false);
  if (!me) return null;
  return (
    <Panel title={t`Email`}>
      <Stack gap="sm" align="flex-start">
        <Group gap="xs">
          <Text fw={600}>{me.email}</Text>
          <Badge color={me.isConfirmed ? 'pine' : 'yellow.8'}>{me.isConfirmed ? t`Confirmed` : t`Not confirmed`}</Badge>
        </Group>
        {!me.isConfirmed && <Unconfirmed email={me.email} />}
        {me.emailChange && <PendingChange />}
        {me.isConfirmed && (
          <Button variant="default" onClick={open}>
            {me.emailChange ? t`Change to another email` : t`Change email`}
          </Button>
        )}
      </Stack>
      <Modal opened={isOpen} onClose={close} title={t`Change email`}>
        <EmailForm onRequested={close} />
      </Modal>
    </Panel>
  );
}

function PendingChange() {
  const { data: me } = useMe();
  const { local } = useConfig();
  const now = useNow();
  const { run, isRunning, error } = useAction(() => perform(accountRoutes.cancelEmailChange, {}), [accountRoutes.me]);
  const change = me?.emailChange;
  if (!me || !change) return null;
  const cancel = () => void run(undefined).then(() => notify({ message: t`Email change cancelled.` }));
  return (
    <>
      <Notice
        tone="info"
        icon="mail"
        actions={
          <>
            {local && (
              <a href="/_local/inbox">
                <Trans>Open local inbox</Trans>
              </a>
            )}
            <Anchor component="button" type="button" disabled={isRunning} onClick={cancel}>
              <Trans>Cancel change</Trans>
            </Anchor>
          </>
        }
      >
        <Trans>
          Your email changes once both links are confirmed. They expire {{ when: formatFromNow(change.expiresAt, now) }}
          .
        </Trans>
        <ul style={{ margin: '0.25rem 0', paddingInlineStart: '1.25rem' }}>
          <li>{stateOf(me.email, change.isConfirmedByOld)}</li>
          <li>{stateOf(t`${{ email: change.email }} (new)`, change.isConfirmedByNew)}</li>
        </ul>
      </Notice>
      {error && <ErrorNotice error={error} />}
    </>
  );
}

const stateOf = (address: string, isConfirmed: boolean): string =>
  isConfirmed ? t`${address}: confirmed` : t`${address}: waiting`;

function EmailForm({ onRequested }: { onRequested: () => void }) {
  const { data: me } = useMe();
  const hasPassword = me?.hasPassword ?? true;
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '', ...noProof },
    schema: v.omit(EmailChange, hasPassword ? ['identityToken'] : ['password', 'identityToken']),
    labels: { email: t`New email`, password: t`Password`, factor: t`Code` },
    act: ({ email, ...proof }) => perform(accountRoutes.requestEmailChange, { body: { email, ...proofOf(proof) } }),
    onDone: (_, { email }) => {
      const current = me?.email;
      notify({
        message: current ? t`Links sent to ${current} and ${email}.` : t`Links sent to your email and ${email}.`,
      });
      onRequested();
    },
    invalidates: [accountRoutes.me],
    fieldOf: useProofFields(),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          <Trans>A link goes to both addresses. Your email changes when both are confirmed, within 24 hours.</Trans>
        </Text>
        <TextInput
          label={t`New email`}
          type="email"
          autoComplete="email"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <OwnerProof fieldOf={form.getInputProps} />
        <FormFoot error={error} isRunning={isRunning} asksPassword={hasPassword}>
          <Trans>Send links</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}

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
