import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import * as v from 'valibot';
import { EmailChange } from '#contract/accounts/accounts.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { useAction } from '../../api/actions.ts';
import { perform } from '../../api/call.ts';
import { useConfig, useNow } from '../../api/config.ts';
import { useApiForm } from '../../api/form.ts';
import { useMe } from '../../api/reads.ts';
import { Modal } from '../../components/dialogs.tsx';
import { Unconfirmed } from '../../components/emails.tsx';
import { ErrorNotice, FormFoot, Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
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
