import * as v from 'valibot';

/*
 * Marks of request fields for docs/openapi.json and the table in docs/guides/openai-sdks.md. A field without a mark is
 * honoured. A literal needs no mark: every other value is refused.
 */

/** Marks a field that is validated and has no effect on the response. */
export const withoutEffect = <const S extends v.GenericSchema>(schema: S) =>
  v.pipe(schema, v.metadata({ 'x-use': 'without effect', description: 'Accepted without effect.' }));

/** Marks a field that is refused by name unless it has one of the values, as the docs show them: '`1` or `2`'. */
export const refusedUnless = <const S extends v.GenericSchema>(values: string, schema: S) =>
  v.pipe(schema, v.metadata({ 'x-use': 'refused', 'x-unless': values, description: `Refused unless ${values}.` }));
