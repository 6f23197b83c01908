import fc from 'fast-check';
import type { Resolve, Schema } from './json-schema.ts';

const word = fc.stringMatching(/^[a-z]{1,12}$/);
const wellFormed = fc.string({ unit: 'grapheme', maxLength: 40 });

/** Mostly small values that a schema accepts. */
export function arbitraryOf(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const rule = resolve(schema);
  const next = (inner: Schema): fc.Arbitrary<unknown> => arbitraryOf(inner, resolve);
  if ('const' in rule) return fc.constant(rule.const);
  if (rule.enum) return fc.constantFrom(...rule.enum);
  const alternatives = rule.anyOf ?? rule.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map(next));
  if (rule.allOf) return next(rule.allOf.at(-1)!);
  if (rule.type === 'string') return strings(rule);
  if (rule.type === 'boolean') return fc.boolean();
  if (rule.type === 'null') return fc.constant(null);
  if (rule.type === 'integer') return fc.integer({ min: rule.minimum ?? 0, max: Math.min(rule.maximum ?? 300, 300) });
  if (rule.type === 'number') return numbers(rule);
  if (rule.type === 'array') return lists(rule, next);
  if (rule.type === 'object' && !rule.properties) return fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }));
  if (rule.type !== 'object') throw new Error(`no values for ${JSON.stringify(rule)}`);
  const fields = Object.entries(rule.properties ?? {}).map(([name, inner]) => [name, next(inner)] as const);
  const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields);
  return fc.record(model, { requiredKeys: [...(rule.required ?? [])], noNullPrototype: true });
}

function numbers({ minimum = -1e9, maximum = 1e9 }: Schema): fc.Arbitrary<number> {
  return fc.double({ min: minimum, max: maximum, noNaN: true });
}

function lists(
  { items, prefixItems, minItems = 0, maxItems = 4, uniqueItems }: Schema,
  next: (schema: Schema) => fc.Arbitrary<unknown>,
) {
  if (prefixItems) return fc.tuple(...prefixItems.map(next));
  const bounds = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 4) };
  return uniqueItems ? fc.uniqueArray(next(items as Schema), bounds) : fc.array(next(items as Schema), bounds);
}

function strings({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === 'idn-email') return fc.tuple(word, word).map(([name, host]) => `${name}@${host}.example`);
  if (format === 'date')
    return fc.date({ min: day(0), max: day(60), noInvalidDate: true }).map((at) => at.toISOString().slice(0, 10));
  if (format === 'date-time')
    return fc.date({ min: day(60), max: day(900), noInvalidDate: true }).map((at) => at.toISOString());
  if (pattern) return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength);
  return wellFormed
    .map((text) => (Array.from(text).length < minLength ? `${text}${'a'.repeat(minLength)}` : text))
    .filter((text) => Array.from(text).length <= maxLength);
}

const today = Date.now();
const day = (count: number): Date => new Date(today + count * 86_400_000);

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    -0.5,
    1.5,
    2 ** 53 + 2,
    -(2 ** 60),
    1e308,
    '',
    ' ',
    '0',
    'null',
    'true',
  ),
  fc.constantFrom<unknown>([], {}, [[]], [null], { length: 1 }, { toString: 'x' }, { constructor: { prototype: 1 } }),
  fc.constantFrom(
    '\u0000',
    '\uFEFF',
    '\uD800',
    '\u200B',
    '😀'.repeat(50),
    'a'.repeat(100_000),
    '../../etc/passwd',
    '{{7*7}}',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Values in which one part, at any depth, is missing or replaced by something odd. */
export function bent(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(values, fc.nat(), odd, fc.boolean()).map(([value, pick, replacement, removes]) => {
    const copy = structuredClone(value);
    const places = placesIn(copy);
    const place = places[pick % places.length];
    if (!place) return replacement;
    const { holder, key } = place;
    if (removes && !Array.isArray(holder)) delete holder[key];
    else holder[key] = replacement;
    return copy;
  });
}

interface Place {
  readonly holder: any;
  readonly key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)]);
}
