import { Trans } from '@lingui/react/macro';
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { GenericSchema } from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { useApiForm } from '../api/form.ts';
import css from './copy.module.css';
import { CopyButton } from './copy.tsx';
import { FormFoot, Notice } from './notice.tsx';
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

interface RotateFormProps<Result> {
  /** Explains the effect. */
  readonly text: string;
  readonly label: string;
  /** Grace periods of the old secret in seconds. */
  readonly graces: readonly { readonly value: string; readonly label: string }[];
  /** The contract's schema of the body. */
  readonly schema: GenericSchema;
  readonly act: (body: { readonly graceSeconds: number }) => Promise<Result>;
  readonly onRotated: (result: Result) => void;
  readonly invalidates?: readonly Route[];
}

/** Replaces a secret. The old one remains valid for a grace period. */
export function RotateForm<Result>(props: RotateFormProps<Result>) {
  const { text, label, graces, schema, act, onRotated, invalidates = [] } = props;
  const { form, submit, isRunning, error } = useApiForm({
    initial: { grace: '86400' },
    schema,
    labels: {},
    act: ({ grace }) => act({ graceSeconds: Number(grace) }),
    onDone: onRotated,
    invalidates,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        <NativeSelect label={label} data={graces} {...form.getInputProps('grace')} />
        <FormFoot error={error} isRunning={isRunning}>
          <Trans>Rotate</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}
