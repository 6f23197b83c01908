import { readdirSync } from 'node:fs';
import { type ConversionConfig, type JsonSchema, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { isFormFile } from '#contract/http/request.ts';
import { isJsonObject } from '#contract/shared/fields.ts';

const contract = new URL('../../functions/contract/', import.meta.url);
/** Settings of a deployment are in `platform`. */
const isOfTheApi = (file: string): boolean => file.endsWith('.ts') && !file.startsWith('platform/');
const files = readdirSync(contract, { recursive: true, encoding: 'utf8' }).filter(isOfTheApi);
const modules: readonly Readonly<Record<string, unknown>>[] = await Promise.all(
  files.map((file) => import(new URL(file, contract).href)),
);

/** The contract's schemas with a name of their own, in upper case: each is written once in the document, where it is used. */
const named: Readonly<Record<string, GenericSchema>> = Object.fromEntries(
  modules.flatMap((module) => Object.entries<unknown>(module)).filter(isSchemaEntry),
);

/** Path and query become parameters, each of its own. */
function isSchemaEntry(entry: [string, unknown]): entry is [string, GenericSchema] {
  const [name, value] = entry;
  return isJsonObject(value) && value['kind'] === 'schema' && /^[A-Z]/.test(name) && !/(?:Path|Query)$/.test(name);
}

/** Requests are described by a schema's input, responses by its output. */
export type Mode = 'input' | 'output';

const prefix = '#/components/schemas/';

/** Rules that JSON Schema cannot express; the detail of a 400 has them. Transforms are of requests only. Any other throws. */
const ignoreActions = ['check', 'finite', 'transform'];

/** What a check of our own stands for. */
const customs: ReadonlyMap<unknown, JsonSchema> = new Map<unknown, JsonSchema>([
  [isJsonObject, { type: 'object' }],
  [isFormFile, { type: 'string', format: 'binary' }],
]);

const config = (typeMode: Mode): ConversionConfig => ({
  target: 'draft-2020-12',
  typeMode,
  ignoreActions,
  overrideRef: ({ referenceId }) => prefix + referenceId,
  overrideSchema: ({ valibotSchema }) =>
    valibotSchema.type === 'custom' && 'check' in valibotSchema ? customs.get(valibotSchema.check) : undefined,
});

const defined = {
  input: toJsonSchemaDefs(named, config('input')),
  output: toJsonSchemaDefs(named, config('output')),
};

/** The schema as it is in the document, and the named schemas it references, in `components`. */
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

/** Without the bounds that every safe integer has, and without lists of nothing. */
function tidy(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if ((key === 'maximum' || key === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)
      return undefined;
    return key === 'required' && Array.isArray(value) && value.length === 0 ? undefined : value;
  });
  return JSON.parse(text);
}
