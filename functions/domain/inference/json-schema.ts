import { createContext, Script } from 'node:vm';
import { dereference, type SchemaDraft, validate } from '@cfworker/json-schema';
import { isJsonObject, parseJson } from '#contract/shared/json.ts';
import type { Mismatch } from './output-rule.ts';

/*
 * Schemas come from callers, and texts from models: both are hostile. The validator interprets a schema and generates
 * no code from it. A check, and the reading of a schema, run within `maxCheckMs` each, including regular expressions,
 * which V8 interrupts.
 */

/**
 * Limits of a schema. The nesting of a request bounds its depth. `visits`: subschemas that the validator applies to one
 * value, about 5 µs each. `uriCharacters`: in total.
 */
const schemaLimits = {
  bytes: 131_072,
  subschemas: 5000,
  patternCharacters: 2048,
  visits: 20_000,
  uriCharacters: 8_000_000,
} as const;

const maxCheckMs = 500;

/** A violated rule of the schema: "must …". */
export class UnreadableSchema extends Error {}

/** Returns a check of texts. Throws UnreadableSchema if the validator cannot read the schema. */
export function schemaCheck(given: unknown): (text: string) => Mismatch {
  const text = JSON.stringify(given);
  if (Buffer.byteLength(text) > schemaLimits.bytes)
    throw new UnreadableSchema(`must have at most ${schemaLimits.bytes} bytes`);
  // The validator marks the nodes of its schema, so it works on a copy.
  const schema: unknown = JSON.parse(text);
  if (!isJsonObject(schema)) throw new UnreadableSchema('must be an object');
  dropAnnotations(schema);
  const lookup = lookupWithinTime(schema);
  const draft = draftOf(schema['$schema']);
  const check = (value: unknown): Mismatch => mismatchOf(() => validate(value, schema, draft, lookup));
  if (check({})?.isUnchecked) throw uncheckable();
  return (text) => {
    const value = parseJson(text);
    return value === undefined ? { problem: 'it is not JSON' } : check(value);
  };
}

type Lookup = ReturnType<typeof dereference>;

const uncheckable = () => new UnreadableSchema(`must be checkable within ${maxCheckMs} ms`);

function lookupWithinTime(schema: Record<string, unknown>): Lookup {
  if (uriCharacters(schema) > schemaLimits.uriCharacters) throw uncheckable();
  try {
    return withinTime(() => {
      const lookup = lookupOf(schema);
      refuseUnreadable(schema, lookup);
      return lookup;
    });
  } catch (error) {
    throw error instanceof UnreadableSchema ? error : uncheckable();
  }
}

/** The URI of a subschema contains all names above it, so that those of a small schema can have gigabytes in total. */
function uriCharacters(node: unknown, above = 0): number {
  if (typeof node !== 'object' || node === null) return above;
  const base = 'id' in node || '$id' in node ? JSON.stringify([Reflect.get(node, '$id'), Reflect.get(node, 'id')]) : '';
  const children = Object.entries(node).map(([name, value]) =>
    uriCharacters(value, above + base.length + 3 * name.length),
  );
  return children.reduce((sum, one) => sum + one, above);
}

/** The subschemas by URI. */
function lookupOf(schema: Record<string, unknown>): Lookup {
  try {
    return dereference(schema);
  } catch {
    throw new UnreadableSchema('must have valid identifiers without duplicates');
  }
}

const drafts: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/draft-0[67]/, '7'],
  [/draft-04/, '4'],
  [/2019-09/, '2019-09'],
];

const draftOf = (named: unknown): SchemaDraft =>
  drafts.find(([pattern]) => pattern.test(String(named)))?.[1] ?? '2020-12';

const limited = new Script('run()');
const context = createContext({});

/** Runs in a context, because only there V8 interrupts a function after a time. */
function withinTime<Result>(run: () => Result): Result {
  context['run'] = run;
  return limited.runInContext(context, { timeout: maxCheckMs });
}

function mismatchOf(run: () => ReturnType<typeof validate>): Mismatch {
  try {
    const { valid, errors } = withinTime(run);
    if (valid) return undefined;
    const last = errors.at(-1);
    const violation = `${(last?.instanceLocation ?? '#').slice(0, 128)} violates ${last?.keyword}`;
    return { problem: 'it violates the schema', violation };
  } catch {
    return { problem: `it cannot be checked within ${maxCheckMs} ms`, isUnchecked: true };
  }
}

type Rule = (value: unknown) => boolean;

const isCount: Rule = (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isNumber: Rule = (value) => typeof value === 'number';
const isText: Rule = (value) => typeof value === 'string';
const isTexts: Rule = (value) => Array.isArray(value) && value.every(isText);
const types = new Set<unknown>(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);

/** In draft 4, `exclusiveMinimum` and `exclusiveMaximum` are booleans. */
const isBound: Rule = (value) => isNumber(value) || typeof value === 'boolean';

const values: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    'type',
    (value) => (Array.isArray(value) ? value.length > 0 && value.every((type) => types.has(type)) : types.has(value)),
  ],
  ['enum', (value) => Array.isArray(value) && value.length > 0],
  ['required', (value) => isTexts(value) || typeof value === 'boolean'],
  ['dependentRequired', (value) => isJsonObject(value) && Object.values(value).every(isTexts)],
  ['uniqueItems', (value) => typeof value === 'boolean'],
  ['multipleOf', (value) => typeof value === 'number' && value > 0],
  ['pattern', isPattern],
  ['patternProperties', (value) => isJsonObject(value) && Object.keys(value).every(isPattern)],
  ['exclusiveMinimum', isBound],
  ['exclusiveMaximum', isBound],
  ...['minimum', 'maximum'].map((name) => [name, isNumber] as const),
  ...['$ref', '$id', '$schema', '$anchor', 'format'].map((name) => [name, isText] as const),
  ...['Length', 'Items', 'Properties', 'Contains']
    .flatMap((name) => [`min${name}`, `max${name}`])
    .map((name) => [name, isCount] as const),
  ...['$dynamicRef', '$recursiveRef'].map((name) => [name, () => false] as const),
]);

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > schemaLimits.patternCharacters) return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

const single = new Set([
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);
const lists = new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf']);
const maps = new Set(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas']);

/** Applied to the same value as the subschema that contains them. */
const combinations = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** Counts the visits for one value, which double with each pair of references. Infinity for a circle. */
function visitsOf(lookup: Lookup): (node: unknown) => number {
  const counted = new Map<unknown, number>();
  return function count(node): number {
    if (!isJsonObject(node)) return 1;
    const known = counted.get(node);
    if (known !== undefined) return known;
    counted.set(node, Infinity);
    const parts = Object.entries(node).flatMap(([name, value]) =>
      combinations.has(name) ? subschemasOf(name, value) : name === '$ref' ? [targetOf(node, lookup)] : [],
    );
    const visits = parts.reduce((sum: number, part) => sum + count(part), 1);
    counted.set(node, visits);
    return visits;
  };
}

const targetOf = (node: Record<string, unknown>, lookup: Lookup): unknown => lookup[String(node['__absolute_ref__'])];

/** Visits each subschema once, including the targets of references. */
function refuseUnreadable(schema: Record<string, unknown>, lookup: Lookup): void {
  const visits = visitsOf(lookup);
  const found = new Set<unknown>([schema]);
  for (const node of found) {
    if (found.size > schemaLimits.subschemas)
      throw new UnreadableSchema(`must have at most ${schemaLimits.subschemas} subschemas`);
    if (typeof node === 'boolean') continue;
    if (!isJsonObject(node)) throw new UnreadableSchema('must have an object or a boolean as each subschema');
    for (const [name, value] of Object.entries(node)) {
      if (values.get(name)?.(value) === false) throw new UnreadableSchema(`has an invalid or unsupported ${name}`);
      for (const subschema of subschemasOf(name, value)) found.add(subschema);
    }
    if (node['$ref'] === undefined) continue;
    const target = targetOf(node, lookup);
    if (target === undefined) throw new UnreadableSchema('must contain the target of each $ref');
    found.add(target);
  }
  for (const node of found) if (visits(node) > schemaLimits.visits) throw uncheckable();
}

/** Removes annotations, because the validator mistakes an example with an `id` for a schema. */
function dropAnnotations(schema: unknown): void {
  if (!isJsonObject(schema)) return;
  for (const [name, value] of Object.entries(schema)) {
    if (/^(?:examples?$|x-)/.test(name)) Reflect.deleteProperty(schema, name);
    else for (const subschema of subschemasOf(name, value)) dropAnnotations(subschema);
  }
}

function subschemasOf(name: string, value: unknown): readonly unknown[] {
  if (single.has(name)) return [value];
  if (name === 'items') return Array.isArray(value) ? value : [value];
  if (lists.has(name)) return Array.isArray(value) && value.length > 0 ? value : [undefined];
  if (maps.has(name)) return isJsonObject(value) ? Object.values(value) : [undefined];
  return name === 'dependencies' && isJsonObject(value) ? Object.values(value).filter((one) => !isTexts(one)) : [];
}
