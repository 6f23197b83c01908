type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [key: string]: Json };

/**
 * Whether Lambda's filter would accept a record, by matching the pattern's `exists` rules with all leaves of the
 * record.
 */
export function lambdaPasses(pattern: unknown, record: unknown): boolean {
  const leaves = new Set(leavesOf(record as Json));
  // The last part of a rule's path is the operator `exists`.
  return leavesOf(pattern as Json).every((rule) => leaves.has(rule.replace(/\.exists$/, '')));
}

/** Paths of all values that are not objects. Lists add nothing to a path, as in EventBridge patterns. */
function leavesOf(value: Json, path: readonly string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((element: Json) => leavesOf(element, path));
  if (value === undefined) return [];
  if (value === null || typeof value !== 'object') return [path.join('.')];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}
