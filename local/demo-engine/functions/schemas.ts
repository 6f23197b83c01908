import * as v from 'valibot';

const size = v.fallback(v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))), undefined);
const bound = v.fallback(v.optional(v.pipe(v.number(), v.finite())), undefined);
const nodes = v.fallback(v.optional(v.array(v.unknown())), undefined);

/** The keywords of a JSON Schema that the demo engine follows. A keyword of the wrong form counts as absent. */
const Schema = v.object({
  $ref: v.fallback(v.optional(v.string()), undefined),
  type: v.fallback(v.optional(v.union([v.string(), v.array(v.string())])), undefined),
  const: v.optional(v.unknown()),
  enum: nodes,
  default: v.optional(v.unknown()),
  properties: v.fallback(v.optional(v.custom<Record<string, unknown>>(isRecord)), undefined),
  required: v.fallback(v.optional(v.array(v.string())), undefined),
  additionalProperties: v.optional(v.unknown()),
  items: v.optional(v.unknown()),
  prefixItems: nodes,
  minItems: size,
  maxItems: size,
  minLength: size,
  maxLength: size,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: bound,
  format: v.fallback(v.optional(v.string()), undefined),
  anyOf: nodes,
  oneOf: nodes,
  allOf: nodes,
});
export type Schema = v.InferOutput<typeof Schema>;

/**
 * The schema with references followed, the first branch of alternatives taken and `allOf` merged in. A reference that
 * leads back to itself is followed once.
 */
export function resolveSchema(node: unknown, root: unknown, seen: ReadonlySet<string> = new Set()): Schema {
  const { $ref, anyOf, oneOf, allOf = [], ...own } = v.parse(Schema, isRecord(node) ? node : {});
  const target = $ref !== undefined && !seen.has($ref) ? followPointer(root, $ref) : undefined;
  const known = $ref === undefined ? seen : new Set([...seen, $ref]);
  const parts = [target, anyOf?.[0], oneOf?.[0], ...allOf.slice(0, 16)].filter(isRecord);
  return parts.map((part) => resolveSchema(part, root, known)).reduce(merge, own);
}

function merge(one: Schema, other: Schema): Schema {
  return {
    ...other,
    ...defined(one),
    ...((one.properties ?? other.properties) && { properties: { ...other.properties, ...one.properties } }),
    ...((one.required ?? other.required) && {
      required: [...new Set([...(one.required ?? []), ...(other.required ?? [])])],
    }),
  };
}

function defined(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

/** `#/$defs/Name` inside the whole schema; undefined when there is no such place. */
function followPointer(root: unknown, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  const steps = ref
    .slice(1)
    .split('/')
    .slice(1)
    .map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((at, step) => (isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined), root);
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
