import type { JsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { TurnChunk } from '#contract/agents/conversations.ts';
import { speechFormats } from '#contract/audio/speech.ts';
import type { Route } from '#contract/http/route.ts';
import * as chunks from '#contract/inference/stream-chunks.ts';
import { errorSchemaOf } from './errors.ts';
import { successHeaders } from './headers.ts';
import type { RecordedResponse } from './recorded/recorded-responses.ts';
import type { Mode } from './schemas.ts';

type SchemaOf = (schema: GenericSchema, mode: Mode) => JsonSchema;

const chunkSchemas: Readonly<Record<string, GenericSchema>> = {
  'envelope chat': chunks.ChatCompletionChunk,
  'envelope completion': chunks.CompletionChunk,
  'openai chat': chunks.OpenAiChatCompletionChunk,
  'openai completion': chunks.OpenAiCompletionChunk,
};

const ownChunks: Readonly<Record<string, GenericSchema>> = { 'create-message': TurnChunk };

function chunkSchemaOf({ id, streaming, format, priced }: Route): GenericSchema | undefined {
  return streaming && priced?.capability
    ? (ownChunks[id] ?? chunkSchemas[`${format} ${priced.capability}`])
    : undefined;
}

export function successResponse(route: Route, recorded: RecordedResponse, schemaOf: SchemaOf) {
  const { status, message } = route.success;
  const chunk = chunkSchemaOf(route);
  const data: object = route.output ? schemaOf(route.output, 'output') : { type: 'null' };
  const schema = route.format === 'envelope' ? envelopeOf(status, message, data) : data;
  const isAudio = route.responseKinds.includes('audio');
  const isJson = route.responseKinds.includes('json');
  return {
    description: isJson ? `${message}${route.output ? '' : '; data is null'}.` : `${message}; the audio.`,
    headers: successHeaders(route, recorded.headers, chunk !== undefined || isAudio),
    content: {
      ...(isJson && { 'application/json': { schema, example: recorded.response } }),
      ...(isAudio && audioContent(isJson)),
      ...(route.responseKinds.includes('text') && textContent),
      ...(chunk && {
        'text/event-stream': { schema: streamOf(route, schemaOf(chunk, 'output')), example: recorded.stream },
      }),
    },
  };
}

/** By media type. A route that can also return JSON does so unless the Accept header names audio. */
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

/** `contentSchema` describes the `data` fields of the events, in order. */
function streamOf(route: Route, chunk: object) {
  const isOpenAi = route.format === 'openai';
  const event = isOpenAi ? chunk : envelopeOf(200, 'STREAM_CHUNK', chunk);
  const end = isOpenAi ? [] : [envelopeOf(200, 'STREAM_COMPLETE', { type: 'null' })];
  const last = isOpenAi ? 'a line `data: [DONE]`, which is not JSON' : 'a STREAM_COMPLETE';
  return {
    type: 'string',
    description: `If \`stream\` is true: lines of \`data: \` and JSON, separated by empty lines. The last is ${last}, or an error if the stream broke off.`,
    contentMediaType: 'text/event-stream',
    contentSchema: { type: 'array', items: { anyOf: [event, ...end, errorSchemaOf(route)] } },
  };
}
