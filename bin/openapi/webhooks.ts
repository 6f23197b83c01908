import type { JsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { eventSamples } from '#contract/webhooks/event-samples.ts';
import { webhookEvents, type WebhookEventType, webhookEventTypes } from '#contract/webhooks/webhooks.ts';
import { type Mode } from './schemas.ts';

type SchemaOf = (schema: GenericSchema, mode: Mode) => JsonSchema;

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const parameters = [
  header('webhook-id', 'Id of the event, the same in every attempt.', 'evt_26ONAvui4aEO8EojX3vu4r'),
  header('webhook-timestamp', 'When it was sent, in Unix seconds.', '1803027600'),
  header(
    'webhook-signature',
    'Signatures of `webhook-id.webhook-timestamp.body`: `v1,` and an HMAC-SHA256 in base64, one for each secret that signs, separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const responses = {
  '2XX': { description: 'Accepted. Any 2xx within 15 s is a success.' },
  '410': { description: 'The webhook is disabled.' },
  '4XX': { description: 'The event is sent again later, as after any other response; `Retry-After` is respected.' },
};

/** Webhooks of the document, by the type of their event. */
export function webhooksOf(schemaOf: SchemaOf): Record<string, object> {
  return Object.fromEntries(webhookEventTypes.map((type) => [type, { post: requestOf(type, schemaOf) }]));
}

function requestOf(type: WebhookEventType, schemaOf: SchemaOf) {
  const { description, data } = webhookEvents[type];
  const example = { type, timestamp: '2027-02-15T09:00:00.000Z', data: eventSamples[type] };
  const schema = {
    type: 'object',
    properties: {
      type: { const: type },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      data: schemaOf(data, 'output'),
    },
    required: ['type', 'timestamp', 'data'],
  };
  return {
    operationId: `on${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ['Webhooks'],
    summary: type,
    description,
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses,
  };
}
