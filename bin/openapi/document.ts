import { idempotencyKey as keyRule } from '#contract/http/request.ts';
import { allRoutes } from '#contract/routes.ts';
import manifest from '../../package.json' with { type: 'json' };
import { errorCollector, errorSchemas } from './errors.ts';
import { headers } from './headers.ts';
import { operationOf } from './operation.ts';
import type { RecordedResponse, RecordedResponses } from './recorded/recorded-responses.ts';
import { schemaCollector } from './schemas.ts';
import { inOrder, tags } from './tags.ts';
import { webhooksOf } from './webhooks.ts';

const description = `Accounts, plans, metered credits and text inference.

Every JSON response is an envelope of \`message\`, \`error\`, \`data\` and \`status\`; errors carry a \`detail\` too. Below
\`/openai/v1\` responses have no envelope, as OpenAI's clients expect. Errors are checked in a fixed order: 404, 405, 413 and 415,
then 401, 400, 403, 409 and 422, 429, 402. A request that fails is not charged.`;

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, which begins with `tai_`, created in the dashboard.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'Set by signing in; named `__Host-session` where the service is deployed.',
  },
  sessionBearer: { type: 'http', scheme: 'bearer', description: 'The value of the session cookie, below `/api` only.' },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes repeating safe: requests of an account with the same key run once, and the response is replayed for 24 hours. 1 to 255 printable ASCII characters, in quotes or bare, such as `order-17`; a comma or a quote needs the quotes, in which `"` and `\\` come after a `\\`.',
  schema: { type: 'string', minLength: 1, maxLength: 2 * keyRule.maxLength + 2, pattern: keyRule.pattern },
};

/** Placeholder for an operation without a recorded response. `test/docs/openapi.test.ts` fails if one exists. */
const unrecorded: RecordedResponse = { status: 200, headers: [], response: undefined };

export function openApiDocument(responses: RecordedResponses): object {
  const schemas = schemaCollector();
  const errors = errorCollector();
  const paths = new Map<string, Record<string, object>>();
  for (const route of inOrder(allRoutes)) {
    const operation = operationOf(route, responses[route.id] ?? unrecorded, { ...schemas, ...errors });
    paths.set(route.path, { ...paths.get(route.path), [route.method.toLowerCase()]: operation });
  }
  const webhooks = webhooksOf(schemas.schemaOf);
  return {
    openapi: '3.1.0',
    info: { title: 'Text AI platform', version: manifest.version, description },
    servers: [{ url: '/', description: 'The service that this document comes from' }],
    tags: tags.map(({ name, description }) => ({ name, description })),
    paths: Object.fromEntries(paths),
    webhooks,
    components: {
      securitySchemes,
      parameters: { 'Idempotency-Key': idempotencyKey },
      headers,
      schemas: { ...errorSchemas, ...sorted(schemas.components) },
      responses: sorted(errors.responses),
    },
  };
}

const sorted = (entries: ReadonlyMap<string, object>) =>
  Object.fromEntries([...entries].toSorted(([one], [other]) => (one < other ? -1 : 1)));
