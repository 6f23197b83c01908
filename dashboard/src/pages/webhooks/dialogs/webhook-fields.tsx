import { MultiSelect, Switch, TextInput } from '@mantine/core';
import * as v from 'valibot';
import { webhookEvents, webhookEventTypes } from '#contract/webhooks/events.ts';
import { allEvents, type NewWebhook } from '#contract/webhooks/webhooks.ts';
import type { Form } from '../../../lib/hooks/use-form.ts';

export type WebhookValues = {
  url: string;
  events: v.InferInput<typeof NewWebhook>['events'];
  description: string;
};

export const webhookLabels = { url: 'URL', events: 'Events', description: 'Description' };

/** An empty description is none. */
export const webhookBody = ({ url, events, description }: WebhookValues) => ({
  url,
  events,
  description: description.trim() === '' ? null : description,
});

/** The contract's schema of the body, for the values of the form. */
export const formSchema = (schema: v.GenericSchema) =>
  v.pipe(
    v.custom<WebhookValues>(() => true),
    v.transform((values): unknown => webhookBody(values)),
    schema,
  );

const choices = webhookEventTypes
  .filter((type) => type !== 'webhook.test')
  .map((type) => ({ value: type, label: type, description: webhookEvents[type].description }));

export function WebhookFields({ form }: { form: Form<WebhookValues> }) {
  const { events } = form.values;
  const isAll = events.includes(allEvents);
  return (
    <>
      <TextInput
        label="URL"
        type="url"
        placeholder="https://example.com/webhooks"
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TextInput
        label="Description"
        description="What it is for, such as “billing, production”"
        {...form.getInputProps('description')}
      />
      <Switch
        label="All events, including future ones"
        checked={isAll}
        onChange={({ currentTarget }) => form.setFieldValue('events', currentTarget.checked ? [allEvents] : [])}
      />
      {!isAll && (
        <MultiSelect
          label="Events"
          data={choices}
          searchable
          clearable
          maxDropdownHeight={260}
          value={events}
          error={form.errors['events']}
          onChange={(chosen) =>
            form.setFieldValue(
              'events',
              webhookEventTypes.filter((type) => chosen.includes(type)),
            )
          }
          data-path="events"
        />
      )}
    </>
  );
}
