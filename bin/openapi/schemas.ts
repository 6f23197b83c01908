import { readdirSync } from 'node:fs';
import { type ConversionConfig, type JsonSchema, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { GenericSchema } from 'valibot';
import { isFormFile } from '#contract/http/request.ts';
import { isListOfTokenIds, isTokenIds } from '#contract/inference/openai-fields.ts';
import { isJsonObject } from '#contract/shared/json.ts';

const contract = new URL('../../functions/contract/', import.meta.url);
/** `platform` contains deployment settings, not API schemas. */
const isOfTheApi = (file: string): boolean => file.endsWith('.ts') && !file.startsWith('platform/');
const files = readdirSync(contract, { recursive: true, encoding: 'utf8' }).filter(isOfTheApi);
const modules: readonly Readonly<Record<string, unknown>>[] = await Promise.all(
  files.map((file) => import(new URL(file, contract).href)),
);

/** Contract schemas with capitalized names become components of the document. */
const named: Readonly<Record<string, GenericSchema>> = Object.fromEntries(
  modules.flatMap((module) => Object.entries<unknown>(module)).filter(isSchemaEntry),
);

function isSchemaEntry(entry: [string, unknown]): entry is [string, GenericSchema] {
  const [name, value] = entry;
  return isJsonObject(value) && value['kind'] === 'schema' && /^[A-Z]/.test(name) && !/(?:Path|Query)$/.test(name);
}

/** Requests use a schema's input, responses its output. */
export type Mode = 'input' | 'output';

const prefix = '#/components/schemas/';

/**
 * Rules that JSON Schema cannot express; a 400 explains them. Transforms occur only in requests. Any other rule throws.
 */
const ignoreActions = ['check', 'finite', 'transform'];

const tokenIds: JsonSchema = { type: 'array', minItems: 1, items: { type: 'integer', minimum: 0, maximum: 100_255 } };

/** JSON Schemas of custom checks. */
const customs: ReadonlyMap<unknown, JsonSchema> = new Map<unknown, JsonSchema>([
  [isJsonObject, { type: 'object' }],
  [isFormFile, { type: 'string', format: 'binary' }],
  [isTokenIds, tokenIds],
  [isListOfTokenIds, { type: 'array', minItems: 1, items: tokenIds }],
]);

const config = (typeMode: Mode): ConversionConfig => ({
  target: 'draft-2020-12',
  typeMode,
  ignoreActions,
  overrideRef: ({ referenceId }) => prefix + referenceId,
  overrideSchema({ valibotSchema, jsonSchema: { oneOf, ...rest } }) {
    if (v.is(Overlapping, valibotSchema) && oneOf) return { ...rest, anyOf: oneOf };
    return valibotSchema.type === 'custom' && 'check' in valibotSchema ? customs.get(valibotSchema.check) : undefined;
  },
});

/** A variant whose alternatives may overlap, because the discriminator of one is optional or any string. */
const Overlapping = v.pipe(
  v.object({
    type: v.literal('variant'),
    key: v.string(),
    options: v.array(v.object({ entries: v.record(v.string(), v.object({ type: v.string() })) })),
  }),
  v.check(({ key, options }) => options.some(({ entries }) => !isExact(entries[key]?.type))),
);

const isExact = (type: string | undefined): boolean => type === 'literal' || type === 'picklist';

const defined = {
  input: toJsonSchemaDefs(named, config('input')),
  output: toJsonSchemaDefs(named, config('output')),
};

/** Converts schemas and collects the named ones that they reference in `components`. */
export function schemaCollector() {
  const components = new Map<string, JsonSchema>();

  function collect(text: string, mode: Mode): void {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = tidy(defined[mode][name] ?? {});
      const known = components.get(name);
      if (known && JSON.stringify(known) !== JSON.stringify(schema))
        throw new Error(`${name} differs between input and output; give the responses a schema of their own`);
      if (known) continue;
      components.set(name, schema);
      collect(JSON.stringify(schema), mode);
    }
  }

  function schemaOf(schema: GenericSchema, mode: Mode): JsonSchema {
    const name = Object.keys(named).find((key) => named[key] === schema);
    const converted = name === undefined ? inline(schema, mode) : { $ref: prefix + name };
    collect(JSON.stringify(converted), mode);
    return converted;
  }

  return { components, schemaOf };
}

function inline(schema: GenericSchema, mode: Mode): JsonSchema {
  const converted = toJsonSchema(schema, { ...config(mode), definitions: named });
  delete converted.$defs;
  delete converted.$schema;
  return tidy(converted);
}

/** Removes the bounds of safe integers and empty lists. */
function tidy(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if ((key === 'maximum' || key === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)
      return undefined;
    return key === 'required' && Array.isArray(value) && value.length === 0 ? undefined : value;
  });
  return JSON.parse(text);
}
