import type { JsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { operationId } from '#contract/http/format.ts';
import { bodyTypes } from '#contract/http/request.ts';
import type { Credential, Route } from '#contract/http/route.ts';
import { samples } from '#contract/samples.ts';
import { isJsonObject } from '#contract/shared/fields.ts';
import { limits } from '#contract/shared/limits.ts';
import type { errorCollector } from './errors.ts';
import { priceOf } from './price.ts';
import type { RecordedResponse } from './recorded/recorded-responses.ts';
import type { schemaCollector } from './schemas.ts';
import { successResponse } from './success.ts';
import { tagOf } from './tags.ts';

type Collectors = Pick<ReturnType<typeof schemaCollector>, 'schemaOf'> &
  Pick<ReturnType<typeof errorCollector>, 'responsesOf'>;

export function operationOf(route: Route, recorded: RecordedResponse, { schemaOf, responsesOf }: Collectors) {
  const parameters = [
    ...parametersOf('path', route.pathInput, recorded.path),
    ...parametersOf('query', route.queryInput, recorded.query),
    ...(route.idempotent ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
  return {
    operationId: operationId(route.id),
    tags: [tagOf(route)],
    summary: route.summary,
    description: descriptionOf(route),
    security: security[route.credential],
    ...(parameters.length > 0 && { parameters }),
    ...(route.bodyInput && { requestBody: requestBodyOf(route, schemaOf, recorded) }),
    responses: { [route.success.status]: successResponse(route, recorded, schemaOf), ...responsesOf(route) },
  };

  function parametersOf(
    place: 'path' | 'query',
    schema: GenericSchema | undefined,
    values: RecordedResponse['path'] = {},
  ) {
    const { properties = {}, required = [] }: JsonSchema = schema ? schemaOf(schema, 'input') : {};
    return Object.entries(properties).map(([name, property]) => {
      const { description, ...rest } = isJsonObject(property) ? property : {};
      return {
        name,
        in: place,
        required: required.includes(name),
        ...(typeof description === 'string' && { description }),
        schema: rest,
        ...(values[name] !== undefined && { example: values[name] }),
      };
    });
  }
}

const key = { apiKey: [] };
const session = [{ sessionCookie: [] }, { sessionBearer: [] }];
const security: Readonly<Record<Credential, readonly object[]>> = {
  none: [],
  key: [key],
  session,
  'session or key': [key, ...session],
  'session if any': [{}, ...session],
};

function requestBodyOf(route: Route, schemaOf: Collectors['schemaOf'], recorded: RecordedResponse) {
  const { bodyInput, formInput, bodyKinds } = route;
  if (!bodyInput) throw new Error(`${route.id} accepts no body`);
  const more = Object.entries(samples[route.id]?.more ?? {});
  const examples = [['A request', recorded.body], ...more].map(([name, value]) => [name, { value }]);
  const json = more.length > 0 ? { examples: Object.fromEntries(examples) } : { example: recorded.body };
  return {
    description: `At most ${Math.floor((route.maxBodyBytes / 1024 ** 2) * 10) / 10} MiB, nested at most ${limits.jsonDepth} levels deep; unknown fields are ignored.`,
    required: route.bodyInput?.type !== 'optional',
    content: Object.fromEntries(
      bodyKinds.map((kind) =>
        kind === 'multipart' && formInput
          ? [bodyTypes[kind], { schema: schemaOf(formInput, 'input') }]
          : [bodyTypes[kind], { schema: schemaOf(bodyInput, 'input'), ...json }],
      ),
    ),
  };
}

const credentials: Readonly<Record<Credential, string>> = {
  none: 'Requires no credential.',
  key: 'Requires an API key.',
  session: 'Requires the session of a signed-in user; an API key is not accepted.',
  'session or key': 'Requires an API key, or the session of a signed-in user.',
  'session if any': 'Requires no credential; a session is used if there is one.',
};

function descriptionOf(route: Route): string {
  const sentences = [
    route.note,
    credentials[route.credential],
    route.role && `Only for users with the role ${route.role}.`,
    route.confirmed && 'The email address must be confirmed.',
    route.priced && `Costs ${priceOf(route.priced.service)}.`,
    route.idempotent && 'Accepts an Idempotency-Key.',
    `Responds within ${route.timeoutSeconds} s.`,
  ];
  return sentences.filter(Boolean).join(' ');
}
