import type * as v from 'valibot';

/** A part of a schema with its rules and nested parts. */
interface Part {
  readonly message?: unknown;
  readonly pipe?: readonly Part[];
  readonly entries?: Readonly<Record<string, Part>>;
  readonly item?: Part;
  readonly wrapped?: Part;
}

/** Every rule that a request may break, prefixed with its field: `functions.0.name must be a string`. */
export function rulesOf(schema: v.GenericSchema): readonly string[] {
  // Valibot schemas are plain objects with these property names.
  return [...new Set(partRules(schema as Part, ''))];
}

function partRules({ message, pipe = [], entries = {}, item, wrapped }: Part, path: string): string[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  // The first part of a pipe is the schema itself, with the same message and parts.
  const [first, ...more] = pipe;
  return [
    ...(typeof message === 'string' ? [`${path} ${message}`.trim()] : []),
    ...(first?.pipe ? partRules(first, path) : []),
    ...more.flatMap((one) => partRules(one, path)),
    ...Object.entries(entries).flatMap(([name, one]) => partRules(one, at(name))),
    ...(item ? partRules(item, at('0')) : []),
    ...(wrapped ? partRules(wrapped, path) : []),
  ];
}
