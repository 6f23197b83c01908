import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import * as v from 'valibot';
import { keyName } from '#contract/accounts/names.ts';
import { secondFactorRoutes } from '#contract/routes/second-factor.ts';
import { signInRoutes } from '#contract/routes/sign-in.ts';
import { perform } from '../../api/call.ts';
import { addPasskey } from '../../api/passkeys.ts';
import { notify } from '../../components/notifications.tsx';
import { type DialogProps, Modal } from '../../components/overlays.tsx';
import { LateProofForm, noProof, proofOf, useLateProof } from './owner-proof.tsx';
import type { PasskeyData } from './security-panels.tsx';

const changed = [secondFactorRoutes.listPasskeys, signInRoutes.listSessions];

export function PasskeyDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Add passkey`}>
      <PasskeyForm onDone={onClose} />
    </Modal>
  );
}

function PasskeyForm({ onDone }: { readonly onDone: () => void }) {
  const late = useLateProof({
    initial: { name: '', ...noProof },
    schema: v.object({ name: keyName }),
    labels: { name: t`Name` },
    act: ({ name, ...proof }) => addPasskey(name, proofOf(proof)),
    onDone: (_, { name }) => {
      notify({ message: t`${name} added. All other sessions are signed out.` });
      onDone();
    },
    invalidates: changed,
  });
  return (
    <LateProofForm late={late} action={t`Continue`}>
      <TextInput
        label={t`Name`}
        description={t`Where the passkey is kept, such as “Laptop” or “Security key”`}
        autoComplete="off"
        data-autofocus
        {...late.form.getInputProps('name')}
      />
    </LateProofForm>
  );
}

interface RemoveProps extends DialogProps {
  readonly passkey: PasskeyData | undefined;
}

export function RemovePasskeyDialog({ isOpen, passkey, onClose }: RemoveProps) {
  // Kept while the dialog closes.
  const [shown, setShown] = useState(passkey);
  if (passkey && passkey !== shown) setShown(passkey);
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Remove ${{ name: shown?.name ?? '' }}?`}>
      {shown && <RemoveForm passkey={shown} onDone={onClose} />}
    </Modal>
  );
}

function RemoveForm({ passkey: { id, name }, onDone }: { readonly passkey: PasskeyData; readonly onDone: () => void }) {
  const late = useLateProof({
    initial: noProof,
    schema: v.object({}),
    labels: {},
    act: (proof) => perform(secondFactorRoutes.deletePasskey, { path: { id }, body: proofOf(proof) }),
    onDone: () => {
      notify({ message: t`${name} removed. All other sessions are signed out.` });
      onDone();
    },
    invalidates: changed,
  });
  return (
    <LateProofForm late={late} action={t`Remove passkey`} isDanger>
      <Text size="sm">
        <Trans>It can no longer sign in. Delete it from your device too, where it may still be offered.</Trans>
      </Text>
    </LateProofForm>
  );
}
