import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Center, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import { useEffect, useState } from 'react';
import * as v from 'valibot';
import { TotpConfirmation } from '#contract/accounts/second-factor.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { secondFactorRoutes } from '#contract/routes/second-factor.ts';
import { signInRoutes } from '#contract/routes/sign-in.ts';
import { text } from '#contract/shared/fields.ts';
import { call, perform } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { useMe } from '../../api/reads.ts';
import type { Data } from '../../api/response.ts';
import css from '../../components/copy.module.css';
import { CopyButton } from '../../components/copy.tsx';
import { FactorField, factorOf } from '../../components/credential-fields.tsx';
import { Icon } from '../../components/icon.tsx';
import { FormFoot, Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { type DialogProps, Modal } from '../../components/overlays.tsx';
import { saveFile } from '../../lib/downloads.ts';
import { LateProofForm, noProof, proofOf, useLateProof } from './owner-proof.tsx';

type Setup = Data<typeof secondFactorRoutes.setUpTotp>;

/** Sets up an authenticator app. While the recovery codes are shown, only the Done button closes the dialog. */
export function AuthenticatorDialog({ isOpen, onClose }: DialogProps) {
  const [codes, setCodes] = useState<readonly string[]>();
  const [isShown, setShown] = useState(false);
  // The account has the app before the user has seen the recovery codes.
  if (isOpen && !isShown) setShown(true);
  const client = useQueryClient();
  const isForm = codes === undefined;
  function close(): void {
    setShown(false);
    onClose();
    if (isForm) return;
    for (const { id } of [accountRoutes.me, signInRoutes.listSessions])
      void client.invalidateQueries({ queryKey: [id] });
  }
  return (
    <Modal
      opened={isShown && (isOpen || !isForm)}
      onClose={close}
      onExitTransitionEnd={() => setCodes(undefined)}
      title={isForm ? t`Set up authenticator app` : t`Save your recovery codes`}
      closeOnClickOutside={isForm}
      closeOnEscape={isForm}
      withCloseButton={isForm}
      size="lg"
    >
      {isForm ? <SetupSteps onConfirmed={setCodes} /> : <RecoveryCodes codes={codes} onDone={close} />}
    </Modal>
  );
}

interface SetupProps {
  readonly onConfirmed: (codes: readonly string[]) => void;
}

function SetupSteps({ onConfirmed }: SetupProps) {
  const [setup, setSetup] = useState<Setup>();
  const late = useLateProof({
    initial: noProof,
    schema: v.object({}),
    labels: {},
    act: (proof) => call(secondFactorRoutes.setUpTotp, { body: proofOf(proof) }),
    onDone: setSetup,
  });
  const { submit, isNeeded, error } = late;
  useEffect(() => {
    submit();
    // Begins once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  if (setup) return <ConfirmForm setup={setup} onConfirmed={onConfirmed} />;
  if (!isNeeded && !error)
    return (
      <Center mih={200}>
        <Loader aria-label={t`Loading`} />
      </Center>
    );
  return <LateProofForm late={late} action={t`Continue`} />;
}

function ConfirmForm({ setup: { secret, otpauthUrl }, onConfirmed }: SetupProps & { readonly setup: Setup }) {
  const { form, submit, isRunning, error } = useApiForm({
    initial: { code: '' },
    schema: TotpConfirmation,
    labels: { code: t`Code` },
    act: (body) => call(secondFactorRoutes.confirmTotp, { body }),
    onDone: ({ recoveryCodes }) => onConfirmed(recoveryCodes),
    fieldOf: { INVALID_CREDENTIALS: { field: 'code' } },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">
          <Trans>Scan the image with an authenticator app, or enter the secret there by hand.</Trans>
        </Text>
        <Center>
          <QrCode text={otpauthUrl} />
        </Center>
        <Group gap="xs" wrap="nowrap" justify="center">
          <output className={css.secret} dir="ltr" aria-label={t`Secret`}>
            {secret.replaceAll(/.{4}(?=.)/g, '$& ')}
          </output>
          <CopyButton value={secret} what={t`secret`} />
        </Group>
        <TextInput
          label={t`Code`}
          description={t`Six digits, which the app then shows`}
          autoComplete="one-time-code"
          inputMode="numeric"
          data-autofocus
          {...form.getInputProps('code')}
        />
        <FormFoot error={error} isRunning={isRunning}>
          <Trans>Turn on</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}

/** Modules of blank space that readers need around a code (ISO/IEC 18004). */
const quiet = 4;

/** Dark on white in both color schemes, because not every app reads inverted codes. */
function QrCode({ text }: { readonly text: string }) {
  const code = generate(text);
  const size = code.size + 2 * quiet;
  return (
    <svg
      width={208}
      viewBox={`${-quiet} ${-quiet} ${size} ${size}`}
      role="img"
      aria-label={t`Image to scan`}
      shapeRendering="crispEdges"
      style={{ background: '#fff', borderRadius: '0.625rem' }}
    >
      <path d={toSvgPath(code)} fill="#000" />
    </svg>
  );
}

function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const text = codes.join('\n');
  return (
    <Stack gap="md">
      <Notice tone="warning" icon="keys">
        <Trans>
          Two-step sign-in is on. Keep these codes where you find them without your phone: each replaces one code of the
          app. They are shown only now.
        </Trans>
      </Notice>
      <output className={css.secret} dir="ltr" aria-label={t`Recovery codes`} style={{ whiteSpace: 'pre-line' }}>
        {text}
      </output>
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          <Trans>Done</Trans>
        </Button>
        <Button
          variant="default"
          leftSection={<Icon name="download" />}
          onClick={() => saveFile(new Blob([`${text}\n`], { type: 'text/plain' }), 'recovery-codes.txt')}
        >
          <Trans>Download</Trans>
        </Button>
        <CopyButton value={text} what={t`codes`} worded />
      </Group>
    </Stack>
  );
}

export function TurnOffDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Turn off two-step sign-in?`}>
      <TurnOffForm onDone={onClose} />
    </Modal>
  );
}

function TurnOffForm({ onDone }: { readonly onDone: () => void }) {
  const { data: me } = useMe();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { factor: '' },
    schema: v.object({ factor: text(64) }),
    labels: { factor: t`Code` },
    act: ({ factor }) => perform(secondFactorRoutes.deleteTotp, { body: factorOf(factor) }),
    onDone: () => {
      notify({ message: t`Two-step sign-in is off. All other sessions are signed out.` });
      onDone();
    },
    invalidates: [accountRoutes.me, signInRoutes.listSessions],
    fieldOf: { INVALID_CREDENTIALS: { field: 'factor' } },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">
          {me?.hasPassword === false ? (
            <Trans>Google alone will sign in again, and the recovery codes end.</Trans>
          ) : (
            <Trans>Your password alone will sign in again, and the recovery codes end.</Trans>
          )}
        </Text>
        <FactorField {...form.getInputProps('factor')} />
        <FormFoot error={error} isRunning={isRunning} color="red.8">
          <Trans>Turn off</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}
