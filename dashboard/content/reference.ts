import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { CredentialKind, Example, Operation, Parameter, ResponseEntry } from '../src/pages/reference/operation.ts';
import { fieldOf, groupsOf, Schema, type Schemas } from './fields.ts';
import { docs } from './guides.ts';

export const documentFile = join(docs, 'openapi.json');
/** The operations that an account's plan may include. The API document contains only those that are sold. */
const referenceFile = process.env['DOCS_FOLDER'] ? join(docs, 'reference.json') : documentFile;

const Content = v.object({
  schema: Schema,
  example: v.optional(v.unknown()),
  examples: v.optional(v.record(v.string(), v.object({ value: v.unknown() })), {}),
});
type Content = v.InferOutput<typeof Content>;
const Contents = v.optional(v.record(v.string(), Content), {});
const Reference = v.object({ $ref: v.string() });
const KnownParameter = v.object({
  name: v.string(),
  in: v.picklist(['path', 'query', 'header']),
  required: v.optional(v.boolean(), false),
  description: v.optional(v.string()),
  example: v.optional(v.unknown()),
  schema: Schema,
});
const KnownResponse = v.object({
  description: v.string(),
  headers: v.optional(v.record(v.string(), v.unknown()), {}),
  content: Contents,
});
const DocumentedOperation = v.object({
  operationId: v.string(),
  tags: v.tuple([v.string()]),
  summary: v.string(),
  description: v.string(),
  security: v.array(v.record(v.string(), v.unknown())),
  parameters: v.optional(v.array(v.union([Reference, KnownParameter])), []),
  requestBody: v.optional(v.object({ description: v.optional(v.string(), ''), content: Contents })),
  responses: v.record(v.string(), v.union([Reference, KnownResponse])),
});
const ApiDocument = v.object({
  tags: v.array(v.object({ name: v.string(), description: v.string() })),
  paths: v.record(v.string(), v.record(v.string(), DocumentedOperation)),
  components: v.object({
    schemas: v.record(v.string(), Schema),
    parameters: v.record(v.string(), KnownParameter),
    responses: v.record(v.string(), KnownResponse),
  }),
});
type ApiDocument = v.InferOutput<typeof ApiDocument>;

export interface ApiReference {
  readonly tags: ApiDocument['tags'];
  readonly operations: readonly Operation[];
}

/**
 * Converts the operations of the API document, in the document's order. Throws for an operation that cannot be shown.
 */
export function loadReference(): ApiReference {
  const document = v.parse(v.pipe(v.string(), v.parseJson(), ApiDocument), readFileSync(referenceFile, 'utf8'));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(document, path, method.toUpperCase(), operation)),
  );
  return { tags: document.tags, operations };
}

function operationOf(
  { components }: ApiDocument,
  path: string,
  method: string,
  { operationId: id, tags: [tag], summary, description, ...rest }: v.InferOutput<typeof DocumentedOperation>,
): Operation {
  const { schemas } = components;
  const content = rest.requestBody?.content['application/json'];
  return {
    id,
    tag,
    method,
    path,
    summary,
    description,
    credentials: credentialsOf(rest.security),
    parameters: rest.parameters.map((one) =>
      parameterOf('$ref' in one ? referenced(one, components.parameters) : one, schemas),
    ),
    body: content
      ? {
          description: rest.requestBody?.description ?? '',
          groups: groupsOf(content.schema, schemas),
          examples: examplesOf(content),
        }
      : null,
    responses: Object.entries(rest.responses).map(([status, one]) =>
      responseOf(status, '$ref' in one ? referenced(one, components.responses) : one, schemas),
    ),
  };
}

function referenced<Part>({ $ref }: v.InferOutput<typeof Reference>, parts: Readonly<Record<string, Part>>): Part {
  const found = parts[$ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`the API document has no ${$ref}`);
  return found;
}

/** An operation without security accepts no credential. With an empty alternative, its credentials are optional. */
function credentialsOf(security: readonly Readonly<Record<string, unknown>>[]): CredentialKind[] {
  const names = new Set(security.flatMap((choice) => Object.keys(choice)));
  const isRequired = security.length > 0 && security.every((choice) => Object.keys(choice).length > 0);
  return [
    ...(names.has('apiKey') ? ['key' as const] : []),
    ...(names.has('sessionCookie') ? ['session' as const] : []),
    ...(isRequired ? [] : ['none' as const]),
  ];
}

function parameterOf(parameter: v.InferOutput<typeof KnownParameter>, schemas: Schemas): Parameter {
  const { name, in: place, required, description, example, schema } = parameter;
  const field = fieldOf(name, schema, required, schemas);
  return {
    ...field,
    ...(description !== undefined && { text: description }),
    in: place,
    example: typeof example === 'string' ? example : (JSON.stringify(example) ?? ''),
  };
}

function responseOf(status: string, response: v.InferOutput<typeof KnownResponse>, schemas: Schemas): ResponseEntry {
  const json = response.content['application/json'];
  const isError = status >= '400';
  return {
    status,
    causes: response.description.split('\n\n').map((line) => {
      const [, code = '', text = line] = /^`(\w+)`: (.*)$/.exec(line) ?? [];
      return { code, text };
    }),
    headers: Object.keys(response.headers),
    groups: isError || !json ? [] : groupsOf(json.schema.properties?.['data'] ?? json.schema, schemas),
    examples: Object.entries(response.content).flatMap(([type, content]) =>
      examplesOf(content).map(({ name, value }) => ({
        name: name || (type === 'application/json' ? '' : type),
        value,
      })),
    ),
  };
}

function examplesOf({ example, examples }: Content): Example[] {
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2));
  const named = Object.entries(examples).map(([name, { value }]) => ({ name, value: text(value) }));
  return example === undefined ? named : [{ name: '', value: text(example) }, ...named];
}
