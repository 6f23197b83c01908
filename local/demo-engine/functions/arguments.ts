import { type Mentions, mentionsOf } from './mentions.ts';
import { fillNumber, fitsNumber } from './numbers.ts';
import { resolveSchema, type Schema } from './schemas.ts';
import { fillString } from './strings.ts';

/** What is being filled: the whole schema, the request's words, and how much may still be made. */
interface Filling {
  readonly root: unknown;
  readonly mentions: Mentions;
  budget: number;
}

const deepest = 12;
const itemLimit = 200;

/** A value that satisfies a JSON Schema, made of what the request mentions where that fits. */
export function fillSchema(schema: unknown, request: string): unknown {
  return fill(schema, { root: schema, mentions: mentionsOf(request), budget: 2000 }, { name: '', depth: 0, turn: 0 });
}

interface Place {
  readonly name: string;
  readonly depth: number;
  /** Which item of an array it is. */
  readonly turn: number;
}

function fill(node: unknown, filling: Filling, place: Place): unknown {
  filling.budget -= 1;
  const schema = resolveSchema(node, filling.root);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return fillEnum(schema.enum, schema, filling.mentions, place.turn);
  if (schema.default !== undefined) return schema.default;
  if (filling.budget < 0) return null;
  switch (kindOf(schema)) {
    case 'object':
      return fillObject(schema, filling, place);
    case 'array':
      return fillArray(schema, filling, place);
    case 'integer':
    case 'number':
      return fillNumber(schema, filling.mentions, place.turn);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return fillString(schema, filling.mentions, place);
  }
}

function kindOf(schema: Schema): string {
  const named = [schema.type].flat().filter((type) => type !== undefined);
  if (named.length > 0) return named.find((type) => type !== 'null') ?? 'null';
  if (schema.properties || schema.required) return 'object';
  if (schema.items !== undefined || schema.prefixItems) return 'array';
  return schema.minimum !== undefined || schema.maximum !== undefined ? 'number' : 'string';
}

/** One that the request names, else the default, else the first; further items of an array take the next ones. */
function fillEnum(values: readonly unknown[], schema: Schema, mentions: Mentions, turn: number): unknown {
  const named = values.filter((value) => mentions.includes(String(value)));
  const usual = values.filter((value) => value === schema.default);
  return [...new Set([...named, ...usual, ...values])][turn] ?? values[0] ?? null;
}

/** Required properties, and optional ones that the request speaks of; all of them where none is required. */
function fillObject(schema: Schema, filling: Filling, { depth }: Place): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const all = required.length === 0 && depth < 4;
  const optional = (name: string) => depth < deepest && (all || isMentioned(properties[name], filling));
  const declared = Object.keys(properties).filter((name) => required.includes(name) || optional(name));
  const undeclared = required.filter((name) => !Object.hasOwn(properties, name));
  const schemas = [
    ...declared.map((name) => [name, properties[name]] as const),
    ...undeclared.map((name) => [name, additionalProperties] as const),
  ];
  if (depth > 2 * deepest) return {};
  return Object.fromEntries(
    schemas.map(([name, node]) => [name, fill(node, filling, { name, depth: depth + 1, turn: 0 })]),
  );
}

function isMentioned(node: unknown, { root, mentions }: Filling): boolean {
  const schema = resolveSchema(node, root);
  if (schema.enum) return schema.enum.some((value) => mentions.includes(String(value)));
  const kind = kindOf(schema);
  return (kind === 'integer' || kind === 'number') && mentions.hasNumber((value) => fitsNumber(value, schema));
}

/** At least one item where allowed, and as many as the request names. */
function fillArray(schema: Schema, filling: Filling, { name, depth }: Place): unknown[] {
  const { minItems = 0, maxItems = itemLimit, prefixItems = [], items } = schema;
  const min = Math.max(minItems, prefixItems.length, depth < deepest ? 1 : 0);
  const wanted = Math.max(min, items === undefined ? 0 : namedItems(items, filling));
  const count = Math.min(wanted, maxItems, itemLimit);
  return Array.from({ length: count }, (_, turn) =>
    fill(prefixItems[turn] ?? items, filling, {
      name,
      depth: depth + 1,
      turn: turn - Math.min(turn, prefixItems.length),
    }),
  );
}

function namedItems(items: unknown, { root, mentions }: Filling): number {
  const schema = resolveSchema(items, root);
  if (schema.enum) return schema.enum.filter((value) => mentions.includes(String(value))).length;
  const kind = kindOf(schema);
  if (kind === 'string') return schema.format ? 0 : mentions.namesLeft();
  return kind === 'integer' || kind === 'number' ? mentions.numbersLeft((value) => fitsNumber(value, schema)) : 0;
}
