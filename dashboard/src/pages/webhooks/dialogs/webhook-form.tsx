import { Stack } from '@mantine/core';
import type { GenericSchema } from 'valibot';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { useApiForm } from '../../../api/forms/use-api-form.ts';
import { FormFoot } from '../../../components/forms/form-foot.tsx';
import { formSchema, WebhookFields, type WebhookValues, webhookBody, webhookLabels } from './webhook-fields.tsx';

interface WebhookFormProps<Result> {
  readonly initial: WebhookValues;
  /** The contract's, of the body. */
  readonly schema: GenericSchema;
  readonly act: (body: ReturnType<typeof webhookBody>) => Promise<Result>;
  readonly onDone: (result: Result) => void;
  /** Label of the submit button. */
  readonly action: string;
}

/** What a new webhook and a changed one are given. */
export function WebhookForm<Result>({ initial, schema, act, onDone, action }: WebhookFormProps<Result>) {
  const { form, submit, isRunning, error } = useApiForm({
    initial,
    schema: formSchema(schema),
    labels: webhookLabels,
    act: (values) => act(webhookBody(values)),
    onDone,
    invalidates: [webhookRoutes.listWebhooks],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <WebhookFields form={form} />
        <FormFoot error={error} isRunning={isRunning}>
          {action}
        </FormFoot>
      </Stack>
    </form>
  );
}
