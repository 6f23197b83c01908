import * as v from 'valibot';

/** Parses stored items and skips the unreadable ones, so that they do not hide the others. */
export function readable<Schema extends v.GenericSchema>(
  schema: Schema,
  items: readonly unknown[],
): v.InferOutput<Schema>[] {
  return items.flatMap((item) => {
    const result = v.safeParse(schema, item);
    return result.success ? [result.output] : [];
  });
}
