import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  Anchor,
  Badge,
  Button,
  Group,
  PasswordInput,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import * as v from 'valibot';
import { Link } from 'wouter';
import { AccountDeletion, PasswordChange, ProfileChange, type SessionList } from '#contract/accounts/accounts.ts';
import { isLanguage } from '#contract/accounts/preferences.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { passwordRoutes, signInRoutes } from '#contract/routes/sign-in.ts';
import { otherSessions } from '#contract/shared/limits.ts';
import { closeAccountStorage } from '../../api/account-storage.ts';
import { endDocument } from '../../api/account.ts';
import { useAction } from '../../api/actions.ts';
import { call, perform } from '../../api/call.ts';
import { useConfig, useNow } from '../../api/config.ts';
import { useApiForm } from '../../api/form.ts';
import { useMe, useSessions } from '../../api/reads.ts';
import { NewPassword } from '../../components/credential-fields.tsx';
import { LanguageChoice } from '../../components/language-choice.tsx';
import { ErrorNotice, FormFoot, Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Modal } from '../../components/overlays.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { type Column, DataTable } from '../../components/tables.tsx';
import { useSection } from '../../lib/focus.ts';
import { formatDay, formatFromNow, formatMoment } from '../../lib/format.ts';
import { language } from '../../lib/language.ts';
import { chooseLanguage } from '../../lib/texts.ts';
import { GoogleSignIn } from '../auth/google.tsx';
import { AlertsPanel } from './alerts-panel.tsx';
import { EmailPanel, MailsPanel } from './email-panels.tsx';
import { ExportPanel } from './export-panel.tsx';
import { noProof, OwnerProof, proofOf, useProofFields } from './owner-proof.tsx';
import { PasskeysPanel, TwoStepPanel } from './security-panels.tsx';

export default function SettingsPage() {
  useSection();
  return (
    <Page title={t`Settings`} lead={t`Profile, email, sign-in, alerts, sessions, your data and account deletion`}>
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <ProfilePanel />
          <Panel title={t`Language`}>
            <LanguageChoice
              w="fit-content"
              onChange={({ currentTarget }) => void chooseAccountLanguage(currentTarget.value)}
            />
          </Panel>
          <EmailPanel />
          <PasswordPanel />
          <GooglePanel />
          <TwoStepPanel />
          <PasskeysPanel />
        </SimpleGrid>
        <AlertsPanel />
        <MailsPanel />
        <SessionsPanel />
        <ExportPanel />
        <DeletePanel />
      </Stack>
    </Page>
  );
}

function ProfilePanel() {
  const { data: me } = useMe();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: me?.name ?? '' },
    schema: ProfileChange,
    labels: { name: t`Name` },
    act: (body) => call(accountRoutes.changeProfile, { body }),
    onDone: ({ name }) => notify({ message: t`Name changed to ${name}.` }),
    invalidates: [accountRoutes.me],
  });
  return (
    <Panel title={t`Profile`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label={t`Name`} autoComplete="name" {...form.getInputProps('name')} />
          <Text size="sm" c="dimmed">
            {me && t`Member since ${{ day: formatDay(me.created_at) }}.`}
          </Text>
          <FormFoot error={error} isRunning={isRunning} style={{ alignSelf: 'flex-start' }}>
            <Trans>Save</Trans>
          </FormFoot>
        </Stack>
      </form>
    </Panel>
  );
}

function PasswordPanel() {
  const { data: me } = useMe();
  if (me?.hasPassword === false)
    return (
      <Panel title={t`Password`}>
        <Text size="sm" c="dimmed">
          <Trans>
            You sign in with Google and have no password.{' '}
            <Anchor component={Link} href="/forgot-password" inherit underline="always">
              Request a link
            </Anchor>{' '}
            to choose one.
          </Trans>
        </Text>
      </Panel>
    );
  return <PasswordForm />;
}

function PasswordForm() {
  const { data: me } = useMe();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { currentPassword: '', newPassword: '' },
    schema: PasswordChange,
    labels: { currentPassword: t`Current password`, newPassword: t`New password` },
    act: (body) => perform(passwordRoutes.changePassword, { body }),
    onDone: () => {
      form.reset();
      notify({ message: t`Password changed. All other sessions are signed out.` });
    },
    invalidates: [signInRoutes.listSessions],
    fieldOf: { INVALID_CREDENTIALS: { field: 'currentPassword', text: t`Incorrect password` } },
  });
  return (
    <Panel title={t`Password`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <PasswordInput
            label={t`Current password`}
            autoComplete="current-password"
            {...form.getInputProps('currentPassword')}
          />
          <NewPassword label={t`New password`} owner={me} {...form.getInputProps('newPassword')} />
          <FormFoot error={error} isRunning={isRunning} asksPassword style={{ alignSelf: 'flex-start' }}>
            <Trans>Change password</Trans>
          </FormFoot>
        </Stack>
      </form>
    </Panel>
  );
}

function GooglePanel() {
  const { googleClientId, local } = useConfig();
  return (
    <Panel title={t`Sign in with Google`}>
      {googleClientId === null && !local ? (
        <Text size="sm" c="dimmed">
          <Trans>Google sign-in is not configured.</Trans>
        </Text>
      ) : (
        <>
          <Text size="sm" c="dimmed" mb="sm">
            <Trans>Link the Google account with your email address to sign in either way.</Trans>
          </Text>
          <GoogleSignIn
            label={t`Link Google`}
            onDone={() => notify({ message: t`Google account linked. All other sessions are signed out.` })}
          />
        </>
      )}
    </Panel>
  );
}

function DeletePanel() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Panel title={t`Delete account`}>
      <Text size="sm" c="dimmed" mb="md">
        <Trans>
          API keys and sessions end immediately, remaining credits are lost, and your data is deleted after 30 days.
        </Trans>
      </Text>
      <Button variant="outline" color="red.8" onClick={open} style={{ color: 'var(--danger-ink)' }}>
        <Trans>Delete account</Trans>
      </Button>
      <Modal opened={isOpen} onClose={close} title={t`Delete account?`}>
        <DeleteForm />
      </Modal>
    </Panel>
  );
}

function DeleteForm() {
  const { data: me } = useMe();
  const hasPassword = me?.hasPassword ?? true;
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '', ...noProof },
    schema: v.omit(AccountDeletion, hasPassword ? ['identityToken'] : ['password', 'identityToken']),
    labels: { email: t`Email`, password: t`Password`, factor: t`Code` },
    act: ({ email, ...proof }) => perform(accountRoutes.deleteAccount, { body: { email, ...proofOf(proof) } }),
    onDone: () => {
      closeAccountStorage();
      void endDocument('/login?deleted');
    },
    fieldOf: useProofFields(),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Notice tone="warning">
          <Trans>This cannot be undone. Programs that use your API keys stop working immediately.</Trans>
        </Notice>
        <TextInput
          label={t`Type your email to confirm`}
          placeholder={me?.email ?? ''}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <OwnerProof fieldOf={form.getInputProps} />
        <FormFoot error={error} isRunning={isRunning} asksPassword={hasPassword} color="red.8">
          <Trans>Delete account permanently</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}

function SessionsPanel() {
  const { data, error, refetch } = useSessions();
  const now = useNow();
  const end = useAction(
    (id: string) => perform(signInRoutes.endSession, { path: { id } }).then(() => id),
    [signInRoutes.listSessions],
  );
  const others = data?.filter(({ current }) => !current) ?? [];
  async function signOut(id: string): Promise<void> {
    if ((await end.run(id)) === undefined) return;
    notify({ message: id === otherSessions ? t`All other sessions signed out.` : t`Session signed out.` });
  }

  const columns: Column<Session>[] = [
    {
      title: t`Device`,
      place: 'lead',
      cell: (session) => (
        <Group gap="xs">
          <Text inherit fw={600}>
            {deviceTitle(session)}
          </Text>
          {session.current && (
            <Badge>
              <Trans>This session</Trans>
            </Badge>
          )}
        </Group>
      ),
    },
    { title: t`Location`, cell: placeTitle },
    { title: t`Signed in`, cell: ({ createdAt }) => formatMoment(createdAt) },
    {
      title: t`Last used`,
      cell: ({ lastSeenAt, current }) => (current ? t`just now` : formatFromNow(lastSeenAt, now)),
    },
    {
      title: t`Actions`,
      place: 'corner',
      cell: (session) =>
        !session.current && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={end.isRunning}
            aria-label={t`Sign out ${{ device: deviceTitle(session) }}, signed in ${{ time: formatMoment(session.createdAt) }}`}
            onClick={() => void signOut(session.id)}
          >
            <Trans>Sign out</Trans>
          </Button>
        ),
    },
  ];
  return (
    <Panel
      title={t`Sessions`}
      aside={
        others.length > 0 && (
          <Button variant="default" loading={end.isRunning} onClick={() => void signOut(otherSessions)}>
            <Trans>Sign out all others</Trans>
          </Button>
        )
      }
    >
      {(error && !data) || end.error ? (
        <ErrorNotice error={end.error ?? error} onRetry={() => void refetch()} />
      ) : (
        !data && <Skeleton height={90} radius="md" />
      )}
      {data && <DataTable caption={t`Sessions`} columns={columns} rows={data} idOf={({ id }) => id} />}
    </Panel>
  );
}

type Session = v.InferOutput<typeof SessionList>[number];

const countries = new Intl.DisplayNames(language === 'en' ? 'en-GB' : language, { type: 'region' });

/** Browser and system, as far as known: "Firefox on Windows". */
function deviceTitle({ browser, system }: Session): string {
  if (browser === null) return system === null ? t`Unknown device` : t`Unknown browser on ${system}`;
  return system === null ? browser : t`${browser} on ${system}`;
}

function placeTitle({ country, isLocal }: Session): string {
  if (isLocal) return t`This machine`;
  return (country !== null && /^[A-Z]{2}$/.test(country) && countries.of(country)) || t`Unknown location`;
}

/** The account keeps the choice for other browsers. Without a response, only this browser keeps it. */
async function chooseAccountLanguage(id: string): Promise<void> {
  if (isLanguage(id)) await call(accountRoutes.changeProfile, { body: { language: id } }).catch(() => undefined);
  chooseLanguage(id);
}
