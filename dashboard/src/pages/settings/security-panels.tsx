import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { secondFactorRoutes } from '#contract/routes/second-factor.ts';
import { limits } from '#contract/shared/limits.ts';
import { useNow } from '../../api/config.ts';
import { useData, useMe } from '../../api/reads.ts';
import type { Data } from '../../api/response.ts';
import { Unconfirmed } from '../../components/emails.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { canUsePasskeys } from '../../components/session.ts';
import { formatDay, formatFromNow } from '../../lib/format.ts';
import { lateDialog } from '../../lib/load.ts';

const AuthenticatorDialog = lateDialog(async () => (await import('./authenticator-dialog.tsx')).AuthenticatorDialog);
const TurnOffDialog = lateDialog(async () => (await import('./authenticator-dialog.tsx')).TurnOffDialog);
const PasskeyDialog = lateDialog(async () => (await import('./passkey-dialogs.tsx')).PasskeyDialog);
const RemovePasskeyDialog = lateDialog(async () => (await import('./passkey-dialogs.tsx')).RemovePasskeyDialog);

/** Sign-in with a code of an authenticator app. */
export function TwoStepPanel() {
  const { data: me } = useMe();
  const [isOpen, { open, close }] = useDisclosure(false);
  if (!me) return null;
  const isOn = me.hasSecondFactor;
  return (
    <Panel
      id="two-step"
      title={t`Two-step sign-in`}
      aside={isOn && <Badge color="pine">{t({ message: 'On', comment: 'State of two-step sign-in' })}</Badge>}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          {isOn
            ? t`Signing in, resetting the password, changing the email and deleting the account need a code of your authenticator app.`
            : t`Also ask for a code of an authenticator app when you sign in, so that your password alone is not enough.`}
        </Text>
        {me.isConfirmed ? (
          <Button variant="default" onClick={open}>
            {isOn ? t`Turn off` : t`Set up authenticator app`}
          </Button>
        ) : (
          <Unconfirmed email={me.email} />
        )}
      </Stack>
      <AuthenticatorDialog isOpen={isOpen && !isOn} onClose={close} />
      <TurnOffDialog isOpen={isOpen && isOn} onClose={close} />
    </Panel>
  );
}

export type PasskeyData = Data<typeof secondFactorRoutes.listPasskeys>['items'][number];

export function PasskeysPanel() {
  const { data: me } = useMe();
  const { data, error, refetch } = useData(secondFactorRoutes.listPasskeys, {});
  const [isOpen, { open, close }] = useDisclosure(false);
  const [removed, setRemoved] = useState<PasskeyData>();
  const passkeys = data?.items ?? [];
  const isFull = passkeys.length >= limits.passkeys;
  return (
    <Panel title={t`Passkeys`}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          <Trans>Sign in with your fingerprint, face or screen lock, or a security key, without the password.</Trans>
        </Text>
        {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => setRemoved(passkey)} />
        ))}
        {canUsePasskeys() ? (
          <Button variant="default" onClick={open} disabled={!me?.isConfirmed || isFull} w="fit-content">
            <Trans>Add passkey</Trans>
          </Button>
        ) : (
          <NotHere />
        )}
        {isFull && (
          <Text size="sm">
            {plural(
              { count: limits.passkeys },
              {
                one: 'You have # passkey, the most that are possible.',
                other: 'You have # passkeys, the most that are possible.',
              },
            )}
          </Text>
        )}
      </Stack>
      <PasskeyDialog isOpen={isOpen} onClose={close} />
      <RemovePasskeyDialog isOpen={removed !== undefined} passkey={removed} onClose={() => setRemoved(undefined)} />
    </Panel>
  );
}

function PasskeyRow({ passkey, onRemove }: { readonly passkey: PasskeyData; readonly onRemove: () => void }) {
  const now = useNow();
  const { name, createdAt, lastUsedAt } = passkey;
  const added = formatDay(createdAt);
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div style={{ minWidth: 0 }}>
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {lastUsedAt === null
            ? t`Added ${added}, not used yet`
            : t`Added ${added}, last used ${{ when: formatFromNow(lastUsedAt, now) }}`}
        </Text>
      </div>
      <Button size="compact-sm" variant="default" flex="none" aria-label={t`Remove ${name}`} onClick={onRemove}>
        <Trans>Remove</Trans>
      </Button>
    </Group>
  );
}

function NotHere() {
  const { protocol, port, hostname, pathname } = window.location;
  if (!/^127\.|^\[::1\]$/.test(hostname))
    return (
      <Text size="sm">
        <Trans>Passkeys need a name in the address bar.</Trans>
      </Text>
    );
  const address = `${protocol}//localhost:${port}`;
  return (
    <Text size="sm">
      <Trans>
        Passkeys need a name in the address bar. Open <a href={`${address}${pathname}`}>{address}</a> instead.
      </Trans>
    </Text>
  );
}
