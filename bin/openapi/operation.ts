import { readFile } from 'node:fs/promises';
import type { JsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { GenericSchema } from 'valibot';
import { TurnChunk } from '#contract/agents/conversations.ts';
import { speechFormats } from '#contract/audio/speech.ts';
import { TranscriptEvent } from '#contract/audio/transcription.ts';
import { priceText } from '#contract/billing/prices.ts';
import { type FormatName, operationId } from '#contract/http/format.ts';
import { bodyTypes } from '#contract/http/request.ts';
import { actsForOrganization, type Credential, type Route } from '#contract/http/route.ts';
import { AnthropicEvent } from '#contract/inference/anthropic-message.ts';
import * as chunks from '#contract/inference/stream-events.ts';
import { organizationHeader, roleNames } from '#contract/organizations/roles.ts';
import { samples } from '#contract/samples.ts';
import { isJsonObject } from '#contract/shared/json.ts';
import { limits } from '#contract/shared/limits.ts';
import { type errorCollector, errorSchemaOf } from './errors.ts';
import { successHeaders } from './headers.ts';
import type { Mode, schemaCollector } from './schemas.ts';
import { tagOf } from './tags.ts';

const Parameters = v.record(v.string(), v.string());

/** The request and response that the document shows for a route. A test compares their shape with the service's. */
const Example = v.object({
  path: v.exactOptional(Parameters),
  query: v.exactOptional(Parameters),
  body: v.exactOptional(v.nullable(v.record(v.string(), v.unknown()))),
  status: v.number(),
  /** Names of the response's headers that the document describes. */
  headers: v.array(v.string()),
  /** Null if the response is not JSON. */
  response: v.unknown(),
  /** Start and end of the streamed response. */
  stream: v.exactOptional(v.string()),
});
export type Example = v.InferOutput<typeof Example>;

/** Examples by route id. */
const Examples = v.record(v.string(), Example);
export type Examples = v.InferOutput<typeof Examples>;

export async function readExamples(): Promise<Examples> {
  return v.parse(Examples, JSON.parse(await readFile(new URL('examples.json', import.meta.url), 'utf8')));
}

type Collectors = Pick<ReturnType<typeof schemaCollector>, 'schemaOf'> &
  Pick<ReturnType<typeof errorCollector>, 'responsesOf'>;

export function operationOf(route: Route, example: Example, { schemaOf, responsesOf }: Collectors) {
  const parameters = [
    ...parametersOf('path', route.pathInput, example.path),
    ...parametersOf('query', route.queryInput, example.query),
    ...(namesInHeader(route) ? [{ $ref: `#/components/parameters/${organizationHeader}` }] : []),
    ...(route.idempotent ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
  return {
    operationId: operationId(route.id),
    tags: [tagOf(route)],
    summary: route.summary,
    description: descriptionOf(route),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.bodyInput && { requestBody: requestBodyOf(route, schemaOf, example) }),
    responses: { [route.success.status]: successResponse(route, example, schemaOf), ...responsesOf(route) },
  };

  function parametersOf(place: 'path' | 'query', schema: GenericSchema | undefined, values: Example['path'] = {}) {
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

/** Whether the header selects the organization. A key has only one. */
const namesInHeader = (route: Route): boolean =>
  route.access !== undefined && actsForOrganization(route) && !route.namesOrganization;

const key = { apiKey: [] };
const session = [{ sessionCookie: [] }, { sessionBearer: [] }];
const security: Readonly<Record<Credential, readonly object[]>> = {
  none: [],
  key: [key],
  session,
  'session or key': [key, ...session],
  'session if any': [{}, ...session],
};

const securityOf = ({ credential, format }: Route): readonly object[] => [
  ...security[credential],
  ...(format === 'anthropic' && credential === 'key' ? [{ keyHeader: [] }] : []),
];

function requestBodyOf(route: Route, schemaOf: Collectors['schemaOf'], example: Example) {
  const { bodyInput, formInput, bodyKinds } = route;
  if (!bodyInput) throw new Error(`${route.id} accepts no body`);
  const more = Object.entries(samples[route.id]?.more ?? {});
  const examples = [['A request', example.body], ...more].map(([name, value]) => [name, { value }]);
  const json = more.length > 0 ? { examples: Object.fromEntries(examples) } : { example: example.body };
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
    rolesText(route),
    route.confirmed && 'The email address must be confirmed.',
    route.priced && `Costs ${priceText(route.priced.service)}.`,
    route.idempotent && 'Accepts an Idempotency-Key.',
    `Responds within ${route.timeoutSeconds} s.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

/** Empty for routes that every member may use. */
function rolesText({ access }: Route): string {
  if (access === undefined || access === 'person' || access === 'read') return '';
  return `With a session, requires the role ${roleNames(access)} in the organization.`;
}

type SchemaOf = (schema: GenericSchema, mode: Mode) => JsonSchema;

const chunkSchemas: Readonly<Record<string, GenericSchema>> = {
  'envelope chat': chunks.ChatCompletionChunk,
  'envelope completion': chunks.CompletionChunk,
  'openai chat': chunks.OpenAiChatCompletionChunk,
  'openai completion': chunks.OpenAiCompletionChunk,
  'anthropic chat': AnthropicEvent,
  'responses chat': chunks.ResponseEvent,
};

const ownChunks: Readonly<Record<string, GenericSchema>> = {
  'create-message': TurnChunk,
  'create-openai-transcription': TranscriptEvent,
};

/** Responses of up to five minutes have the streaming integration, even if they are never streamed. */
const neverStreamed: ReadonlySet<string> = new Set(['compact-response']);

function chunkSchemaOf({ id, streaming, format, priced }: Route): GenericSchema | undefined {
  return streaming && priced?.capability && !neverStreamed.has(id)
    ? (ownChunks[id] ?? chunkSchemas[`${format} ${priced.capability}`])
    : undefined;
}

function successResponse(route: Route, example: Example, schemaOf: SchemaOf) {
  const { status, message } = route.success;
  const chunk = chunkSchemaOf(route);
  const data: object = route.output ? schemaOf(route.output, 'output') : { type: 'null' };
  const schema = route.format === 'envelope' ? envelopeOf(status, message, data) : data;
  const isAudio = route.responseKinds.includes('audio');
  const isJson = route.responseKinds.includes('json');
  return {
    description:
      route.method === 'HEAD'
        ? `${message}.`
        : isJson
          ? `${message}${route.output ? '' : '; data is null'}.`
          : `${message}; the audio.`,
    headers: successHeaders(route, example.headers, chunk !== undefined || isAudio),
    ...(route.method !== 'HEAD' && {
      content: {
        ...(isJson && { 'application/json': { schema, example: example.response } }),
        ...(isAudio && audioContent(isJson)),
        ...(route.responseKinds.includes('text') && textContent),
        ...(chunk && {
          'text/event-stream': { schema: streamOf(route, schemaOf(chunk, 'output')), example: example.stream },
        }),
      },
    }),
  };
}

/** Content by media type. A route that can return JSON and audio returns JSON unless the Accept header names audio. */
function audioContent(isChoice: boolean) {
  const when = isChoice ? 'If the Accept header names audio: the' : 'The';
  const description = `${when} bytes of the file, sent as they are generated. If the connection ends early, the file is incomplete.`;
  const schema = { type: 'string', format: 'binary', description };
  const types = Object.values(speechFormats).map((type) => type.split(';', 1)[0] ?? '');
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

/** Formats selected by `response_format`. */
const textContent = Object.fromEntries(
  ['text/plain', 'application/x-subrip', 'text/vtt'].map((type) => [
    type,
    { schema: { type: 'string', format: 'text' } },
  ]),
);

/** The four fields of the envelope (docs/specification.md#response-envelope-all-json-responses). */
function envelopeOf(status: number, message: string, data: object) {
  return {
    type: 'object',
    properties: { message: { const: message }, error: { const: false }, data, status: { const: status } },
    required: ['message', 'error', 'data', 'status'],
    additionalProperties: false,
  };
}

const streamTexts: Readonly<Record<FormatName, { readonly last: string; readonly named?: string }>> = {
  envelope: { last: 'a STREAM_COMPLETE' },
  openai: { last: 'a line `data: [DONE]`, which is not JSON' },
  responses: { last: 'a line `data: [DONE]`, which is not JSON', named: ', each after a line `event: ` with its type' },
  anthropic: { last: '`message_stop`', named: ', each after a line `event: ` with its type' },
};

/** `contentSchema` describes the `data` fields of the events, in order. */
function streamOf(route: Route, chunk: object) {
  const isEnveloped = route.format === 'envelope';
  const event = isEnveloped ? envelopeOf(200, 'STREAM_CHUNK', chunk) : chunk;
  const end = isEnveloped ? [envelopeOf(200, 'STREAM_COMPLETE', { type: 'null' })] : [];
  const { last, named = '' } = streamTexts[route.format];
  return {
    type: 'string',
    description: `If \`stream\` is true: lines of \`data: \` and JSON, separated by empty lines${named}. The last is ${last}, or an error if the stream broke off.`,
    contentMediaType: 'text/event-stream',
    contentSchema: { type: 'array', items: { anyOf: [event, ...end, errorSchemaOf(route)] } },
  };
}
