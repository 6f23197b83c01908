import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import type { GenericSchema } from 'valibot';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { type ApiForm, useApiForm } from '../../../api/forms/use-api-form.ts';
import { useOnce } from '../../../api/use-once.ts';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { notify } from '../../../components/feedback/notifications.tsx';
import type { Form } from '../../../lib/hooks/use-form.ts';

interface ActionFormProps<Values extends Record<string, unknown>> {
  /** What it does, in a sentence or two. */
  readonly text: ReactNode;
  readonly initial: Values;
  readonly schema: GenericSchema;
  /** Labels of the fields beside the reason. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly fields?: (form: Form<Values & { reason: string }>) => ReactNode;
  /** Label of the button that does it. */
  readonly action: string;
  readonly isDanger?: boolean;
  readonly send: (values: Values & { reason: string }, idempotencyKey: string) => Promise<unknown>;
  /** Notice once it is done. */
  readonly done: string;
  readonly onClose: () => void;
}

const { getAccount, listAccountEntries, listAccountKeys, listAccountMails, listAuditEvents } = operatorRoutes;
const reads = [getAccount, listAccountEntries, listAccountKeys, listAccountMails, listAuditEvents];

/** An action on an account: what it does, its fields, and the reason, without which nothing is done. */
export function ActionForm<Values extends Record<string, unknown>>(props: ActionFormProps<Values>) {
  const { text, initial, schema, labels, fields, action, isDanger = false, send, done, onClose } = props;
  const once = useOnce();
  const { form, submit, isRunning, error }: ApiForm<Values & { reason: string }> = useApiForm({
    initial: { ...initial, reason: '' },
    schema,
    labels: { ...labels, reason: 'Reason' },
    act: (values) => once(values, (key) => send(values, key)),
    onDone: () => {
      notify({ message: done });
      onClose();
    },
    invalidates: reads,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{text}</Text>
        {fields?.(form)}
        <Textarea
          label="Reason"
          description="Saved in the audit trail. The account owner cannot see it."
          required
          autosize
          minRows={2}
          maxRows={6}
          data-autofocus={fields ? undefined : true}
          {...form.getInputProps('reason')}
        />
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning} {...(isDanger && { color: 'red.8' })}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
