import * as v from 'valibot';
import type { Field, FieldGroup } from '../src/pages/reference/operation.ts';

/** The parts of a JSON schema that the page uses. Others are ignored. */
export interface Schema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly const?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  /** False if `prefixItems` describes all items. */
  readonly items?: Schema | false | undefined;
  readonly prefixItems?: readonly Schema[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
}

const text = v.optional(v.string());
const number = v.optional(v.number());
const inner = v.lazy((): v.GenericSchema<unknown, Schema> => Schema);
export const Schema: v.GenericSchema<unknown, Schema> = v.object({
  $ref: text,
  type: v.optional(v.union([v.string(), v.array(v.string())])),
  const: v.optional(v.unknown()),
  enum: v.optional(v.array(v.unknown())),
  format: text,
  pattern: text,
  description: text,
  default: v.optional(v.unknown()),
  properties: v.optional(v.record(v.string(), inner)),
  required: v.optional(v.array(v.string())),
  items: v.optional(v.union([v.literal(false), inner])),
  prefixItems: v.optional(v.array(inner)),
  anyOf: v.optional(v.array(inner)),
  oneOf: v.optional(v.array(inner)),
  minimum: number,
  maximum: number,
  minLength: number,
  maxLength: number,
  minItems: number,
  maxItems: number,
});

export type Schemas = Readonly<Record<string, Schema>>;

/** Maximum displayed levels of nested objects. No schema of ours has more. */
const maxDepth = 8;
/** Maximum displayed values. Longer lists, such as languages, are cut off. */
const maxValues = 16;

/** Returns the fields of a schema: one group for an object, or one for each kind of object. */
export function groupsOf(schema: Schema, schemas: Schemas, depth = 0): FieldGroup[] {
  if (depth > maxDepth) throw new Error('a schema of the API is nested too deep to be shown');
  const objects = objectsOf(schema, schemas);
  return objects.map(({ properties = {}, required = [] }) => {
    // The title of each kind already contains its distinguishing constants.
    const constants = objects.length > 1 ? Object.entries(properties).filter(([, one]) => one.const !== undefined) : [];
    const names = new Set(constants.map(([name]) => name));
    return {
      title: constants.map(([name, { const: value }]) => `${name}: ${String(value)}`).join(', '),
      fields: Object.entries(properties)
        .filter(([name]) => !names.has(name))
        .map(([name, field]) => fieldOf(name, field, required.includes(name), schemas, depth)),
    };
  });
}

export function fieldOf(name: string, schema: Schema, isRequired: boolean, schemas: Schemas, depth = 0): Field {
  const known = resolve(schema, schemas);
  const description = schema.description ?? known.description;
  return {
    name,
    type: typeOf(known, schemas),
    isRequired,
    ...(description !== undefined && { text: description }),
    rules: rulesOf(known, schemas),
    kinds: groupsOf(known, schemas, depth + 1),
  };
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  const found = schemas[schema.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`the API document has no ${schema.$ref}`);
  return resolve(found, schemas);
}

/** Returns the schemas that a value may match. */
function choicesOf(schema: Schema, schemas: Schemas): Schema[] {
  const known = resolve(schema, schemas);
  const { type } = known;
  const choices =
    known.anyOf ?? known.oneOf ?? (Array.isArray(type) ? type.map((one) => ({ ...known, type: one })) : null);
  return choices ? choices.flatMap((choice) => choicesOf(choice, schemas)) : [known];
}

const itemOf = ({ items, prefixItems }: Schema): Schema | undefined => items || prefixItems?.[0];

const isNull = ({ type, const: value }: Schema): boolean => type === 'null' || value === null;

/** Returns the kinds of object in a schema or in its lists. */
const objectsOf = (schema: Schema, schemas: Schemas): Schema[] =>
  choicesOf(schema, schemas).flatMap((choice) => {
    if (choice.properties) return [choice];
    const item = itemOf(choice);
    return item ? objectsOf(item, schemas) : [];
  });

const plurals: Readonly<Record<string, string>> = { boolean: 'booleans', object: 'objects', number: 'numbers' };

function typeOf(schema: Schema, schemas: Schemas): string {
  const names = choicesOf(schema, schemas).map((choice) => {
    const item = itemOf(choice);
    if (item) {
      const name = typeOf(item, schemas);
      return `list of ${plurals[name] ?? `${name}s`}`;
    }
    if (isNull(choice)) return 'null';
    const type = choice.type ?? (choice.properties ? 'object' : typeof (choice.const ?? choice.enum?.[0] ?? {}));
    return choice.format === undefined ? String(type) : `${String(type)} (${choice.format})`;
  });
  return [...new Set(names)].join(' or ');
}

function rulesOf(schema: Schema, schemas: Schemas): string[] {
  const choices = choicesOf(schema, schemas);
  const values = choices.flatMap(({ const: value, enum: list }) => list ?? (value === undefined ? [] : [value]));
  const listed = values.filter((value) => value !== null).map((value) => JSON.stringify(value));
  return [
    ...(listed.length > 0
      ? [listed.slice(0, maxValues).join(', ') + (listed.length > maxValues ? `, … (${listed.length} values)` : '')]
      : []),
    ...choices.flatMap((choice) => [
      range(choice.minimum, choice.maximum, ''),
      range(choice.minLength, choice.maxLength, ' characters'),
      range(choice.minItems, choice.maxItems, ' items'),
    ]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ].filter((rule) => rule !== '');
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const grouped = (value: number): string => value.toLocaleString('en');
  if (max !== undefined)
    return min === undefined ? `at most ${grouped(max)}${unit}` : `${grouped(min)} to ${grouped(max)}${unit}`;
  return min === undefined || (unit !== '' && min <= 1) ? '' : `at least ${grouped(min)}${unit}`;
}
