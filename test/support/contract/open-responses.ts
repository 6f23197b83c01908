import { readFileSync } from 'node:fs';
import { type Schema, violations } from './json-schema.ts';

/** The schemas of Open Responses by name. See `source` in the file. */
const { $defs }: { readonly $defs: Readonly<Record<string, Schema>> } = JSON.parse(
  readFileSync(new URL('open-responses.json', import.meta.url), 'utf8'),
);

const namesIn = '#/$defs/';

function resolve(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : resolve($defs[schema.$ref.slice(namesIn.length)]!);
}

/** Schemas of events by type. */
const events = new Map(
  Object.values($defs).flatMap((schema) => {
    const type = schema.properties?.['type'];
    const { const: only, enum: names } = type ? resolve(type) : {};
    const named = only ?? names?.[0];
    return schema.properties?.['sequence_number'] ? [[named, schema] as const] : [];
  }),
);

/** The rules of Open Responses that a response breaks. Its schema allows no schema in a text format. */
export function responseViolations(response: any): string[] {
  const { format } = response.text ?? {};
  const text = { ...response.text, format: format?.schema ? { ...format, schema: null } : format };
  return violations($defs['ResponseResource']!, { ...response, text }, { resolve });
}

export const compactionViolations = (value: unknown): string[] =>
  violations($defs['CompactResource']!, value, { resolve });

export function eventViolations(event: any): string[] {
  const schema = events.get(event.type);
  if (!schema) return [`${event.type} is no event`];
  const { response, ...rest } = event;
  const shown = response ? { ...rest, response: { ...response, text: { format: { type: 'text' } } } } : rest;
  return [...violations(schema, shown, { resolve }), ...(response ? responseViolations(response) : [])];
}
