import { isJsonObject } from '#contract/shared/fields.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Side {
  readonly document: unknown;
  readonly schema: unknown;
}

interface Place {
  readonly path: string;
  /** True for responses, whose reader is the existing client. False for requests, whose writer is. */
  readonly isReaderOld: boolean;
}

/** Deeper than any body. */
const maxDepth = 40;

/**
 * Lists the values that a writer may send by its schema and that a reader's schema rejects. Empty if the reader accepts
 * everything. Supports the subset of JSON Schema that this project's documents use.
 */
export function understands(reader: Side, writer: Side, place: Place, depth = 0): readonly string[] {
  if (depth > maxDepth || reader.schema === undefined || writer.schema === undefined) return [];
  const shapes = alternatives(reader);
  const sendings = alternatives(writer).filter((schema) => !isError(schema));
  return sendings.flatMap((sent) => {
    const tried = shapes.map((shape) =>
      gaps({ ...reader, schema: shape }, { ...writer, schema: sent }, place, depth + 1),
    );
    return tried.toSorted((one, other) => one.length - other.length)[0] ?? [];
  });
}

/** Clients rely on an error's status and detail, so new error codes are compatible. */
const isError = (schema: Json): boolean => objectIn(objectIn(schema['properties'])['error'])['const'] === true;

function gaps(reader: Side, writer: Side, place: Place, depth: number): readonly string[] {
  const { path, isReaderOld } = place;
  const [read, sent] = [objectIn(reader.schema), objectIn(writer.schema)];
  const inner = (path: string, name: string, of = (schema: Json): unknown => schema[name]) =>
    understands({ ...reader, schema: of(read) }, { ...writer, schema: of(sent) }, { path, isReaderOld }, depth);
  const [readFields, sentFields] = [objectIn(read['properties']), objectIn(sent['properties'])];
  const [old, current] = isReaderOld ? [readFields, sentFields] : [sentFields, readFields];
  const demanded = listIn(read['required']).filter((name) => !listIn(sent['required']).includes(name));
  const isKept = (name: string): boolean => name in current;
  return [
    ...valueGaps(read, sent).map((problem) => `${path} ${problem}`),
    ...Object.keys(old).flatMap((name) =>
      isKept(name)
        ? inner(`${path}.${name}`, name, (schema) => objectIn(schema['properties'])[name])
        : [`${path}.${name} was removed`],
    ),
    ...demanded
      .filter((name) => isKept(name) || !isReaderOld)
      .map((name) => `${path}.${name} is ${isReaderOld ? 'no longer always there' : 'now required'}`),
    ...inner(`${path}[]`, 'items'),
    ...inner(`${path} in its events`, 'contentSchema'),
  ];
}

const lower = ['minimum', 'minLength', 'minItems'];
const upper = ['maximum', 'maxLength', 'maxItems'];

function valueGaps(read: Json, sent: Json): readonly string[] {
  const [known, possible] = [valuesOf(read), valuesOf(sent)];
  const foreign = known && (possible?.filter((value) => !known.includes(value)) ?? ['any value']);
  const types = typesOf(read);
  const strange = types.length > 0 ? typesOf(sent).filter((type) => !types.includes(type)) : [];
  const tighter = (name: string, isTighter: (of: number, than: number) => boolean): boolean =>
    typeof read[name] === 'number' &&
    !possible &&
    (typeof sent[name] !== 'number' || isTighter(read[name], sent[name]));
  const bounds = [
    ...lower.filter((name) => tighter(name, (of, than) => of > than)),
    ...upper.filter((name) => tighter(name, (of, than) => of < than)),
  ];
  const isOtherPattern = read['pattern'] !== undefined && read['pattern'] !== sent['pattern'] && !possible;
  return [
    ...(foreign && foreign.length > 0 ? [`may be ${foreign.join(', ')}`] : []),
    ...(strange.length > 0 ? [`may be of type ${strange.join(', ')}`] : []),
    ...bounds.map((name) => `has a tighter ${name}`),
    ...(isOtherPattern ? ['has another pattern'] : []),
  ];
}

function valuesOf({ const: one, enum: several }: Json): readonly string[] | undefined {
  if (one !== undefined) return [JSON.stringify(one)];
  return Array.isArray(several) ? several.map((value) => JSON.stringify(value)) : undefined;
}

/** Every integer is a number. Without `type`, the types follow from `const` and `enum`. */
function typesOf(schema: Json): readonly string[] {
  const { type, const: one, enum: several } = schema;
  const named = typeof type === 'string' ? [type] : listIn(type);
  if (named.length > 0) return named.includes('number') ? [...named, 'integer'] : named;
  const values: readonly unknown[] = Array.isArray(several) ? several : one === undefined ? [] : [one];
  return values.map((value) => (value === null ? 'null' : typeof value));
}

function alternatives({ document, schema }: Side): readonly Json[] {
  const { $ref: ref, anyOf, oneOf, allOf, ...own } = objectIn(schema);
  if (typeof ref === 'string') return alternatives({ document, schema: targetOf(ref, document) });
  const several = anyOf ?? oneOf;
  if (Array.isArray(several)) return several.flatMap((one) => alternatives({ document, schema: one }));
  if (!Array.isArray(allOf)) return [own];
  const parts = allOf.flatMap((part) => alternatives({ document, schema: part }));
  return [parts.reduce<Json>(joined, own)];
}

const joined = (one: Json, other: Json): Json => ({
  ...one,
  ...other,
  properties: { ...objectIn(one['properties']), ...objectIn(other['properties']) },
  required: [...listIn(one['required']), ...listIn(other['required'])],
});

export const targetOf = (ref: string, document: unknown): unknown =>
  ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((value, name) => objectIn(value)[name], document);

export const objectIn = (value: unknown): Json => (isJsonObject(value) ? value : {});
const listIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
