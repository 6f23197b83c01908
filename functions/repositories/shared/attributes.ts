import * as v from 'valibot';
import type { ItemOutput } from './items.ts';

/**
 * JSON attribute values (AWS "AttributeValue") without sets and binary. Four times as fast as `marshall`; a test
 * compares both.
 */
type Attribute =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly Attribute[] }
  | { readonly M: Readonly<Record<string, Attribute>> };

/** Omits undefined values. Throws for unsupported types. */
export function attributesOf(values: object): Record<string, Attribute> {
  const attributes: Record<string, Attribute> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) attributes[name] = attributeOf(value);
  }
  return attributes;
}

function attributeOf(value: unknown): Attribute {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number' && Number.isFinite(value)) return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.filter((one) => one !== undefined).map(attributeOf) };
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) return { M: attributesOf(value) };
  throw new TypeError(`DynamoDB has no attribute for a ${typeof value} like this`);
}

/** The fields of an operation's input that contain attribute values, at any depth. */
const attributeFields: ReadonlySet<string> = new Set(['Key', 'Item', 'ExpressionAttributeValues', 'ExclusiveStartKey']);

export function inputWithAttributes(input: object): object {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]: [string, unknown]) => {
      if (typeof value !== 'object' || value === null || name === 'ExpressionAttributeNames') return [name, value];
      if (attributeFields.has(name)) return [name, attributesOf(value)];
      return [name, Array.isArray(value) ? value.map(inputWithAttributes) : inputWithAttributes(value)];
    }),
  );
}

/** Decodes attribute values without sets. Throws for other types and for integers outside the safe range. */
export function valuesOf(
  attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(attributes)) values[name] = valueOf(attributes[name]);
  return values;
}

function valueOf(attribute: unknown): unknown {
  if (typeof attribute !== 'object' || attribute === null) throw new TypeError('an attribute is an object');
  for (const [type, value] of Object.entries(attribute)) {
    if (type === 'S' || type === 'BOOL') return value;
    if (type === 'N') return exact(String(value));
    if (type === 'M') return valuesOf(value);
    if (type === 'L' && Array.isArray(value)) return value.map(valueOf);
    if (type === 'NULL') return null;
    if (type === 'B') return Buffer.from(String(value), 'base64');
    throw new TypeError(`the attribute type ${type} is not read here`);
  }
  throw new TypeError('an attribute has a type');
}

function exact(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) || !Number.isInteger(number)) return number;
  throw new RangeError(`${text} is no number that JavaScript holds exactly`);
}

const Attributes = v.record(v.string(), v.record(v.string(), v.unknown()));
const Output = v.object({
  Item: v.optional(Attributes),
  Items: v.optional(v.array(Attributes)),
  LastEvaluatedKey: v.optional(Attributes),
});

/** Parses the items of a DynamoDB response body. Throws ValiError for an invalid body. */
export function outputOf(body: string): ItemOutput {
  const { Item, Items, LastEvaluatedKey } = v.parse(Output, JSON.parse(body));
  return {
    ...(Item && { Item: valuesOf(Item) }),
    ...(Items && { Items: Items.map(valuesOf) }),
    ...(LastEvaluatedKey && { LastEvaluatedKey: valuesOf(LastEvaluatedKey) }),
  };
}

/** Skips unreadable items, so that they do not hide the others in a list. */
export function readable<Schema extends v.GenericSchema>(
  schema: Schema,
  items: readonly unknown[],
): v.InferOutput<Schema>[] {
  return items.flatMap((item) => {
    const result = v.safeParse(schema, item);
    return result.success ? [result.output] : [];
  });
}
