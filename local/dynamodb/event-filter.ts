import type { EventPattern } from '#contract/platform/resources.ts';

/** Whether a record passes one of an event source's filters, as Lambda applies them. */
export function passes(patterns: readonly EventPattern[], record: unknown): boolean {
  return patterns.some((pattern) => matches(pattern, record));
}

/** A list matches by any of its elements: it adds nothing to a path. */
function matches(pattern: EventPattern[string], value: unknown): boolean {
  if (Array.isArray(value)) return value.some((element) => matches(pattern, element));
  if (Array.isArray(pattern)) return isLeaf(value);
  return Object.entries(pattern).every(([name, inner]) => matches(inner, memberOf(value, name)));
}

/** What `exists` is true of. Bytes come from the SDK as they are, and to Lambda in base64. */
const isLeaf = (value: unknown): boolean =>
  value !== undefined && (typeof value !== 'object' || value instanceof Uint8Array);

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? Reflect.get(value, name) : undefined;
}
