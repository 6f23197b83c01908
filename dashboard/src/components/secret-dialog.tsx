import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import css from './copy.module.css';
import { CopyButton } from './copy.tsx';
import { Notice } from './notice.tsx';
import { Modal } from './overlays.tsx';

/** Texts for one kind of secret. */
export interface SecretKind {
  /** Names the secret, for the copy button. */
  readonly what: string;
  readonly label: string;
  readonly notice: string;
  readonly hint?: ReactNode;
}

interface SecretDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly kind: SecretKind;
  readonly title: string;
  /** Title while the secret is shown. */
  readonly secretTitle: string;
  /** The form that creates the secret. */
  readonly form: (onCreated: (secret: string) => void) => ReactNode;
}

/** Creates a secret and shows it once. While it is shown, only the Done button closes the dialog. */
export function SecretDialog({ isOpen, onClose, kind, title, secretTitle, form }: SecretDialogProps) {
  const [secret, setSecret] = useState<string>();
  const isForm = secret === undefined;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => setSecret(undefined)}
      title={isForm ? title : secretTitle}
      closeOnClickOutside={isForm}
      closeOnEscape={isForm}
      withCloseButton={isForm}
      size="lg"
    >
      {isForm ? form(setSecret) : <ShownSecret kind={kind} secret={secret} onDone={onClose} />}
    </Modal>
  );
}

interface ShownSecretProps {
  readonly kind: SecretKind;
  readonly secret: string;
  readonly onDone: () => void;
}

function ShownSecret({ kind: { what, label, notice, hint }, secret, onDone }: ShownSecretProps) {
  return (
    <Stack gap="md">
      <Notice tone="warning" icon="keys">
        {notice}
      </Notice>
      <output className={css.secret} aria-label={label}>
        {secret}
      </output>
      {hint}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          <Trans>Done</Trans>
        </Button>
        <CopyButton value={secret} what={what} worded />
      </Group>
    </Stack>
  );
}
