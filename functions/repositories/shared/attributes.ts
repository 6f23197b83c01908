import * as v from 'valibot';
import type { ItemOutput } from './items.ts';

/**
 * DynamoDB's attribute values as JSON (AWS "AttributeValue"), without sets and binaries. What `marshall` of
 * `@aws-sdk/util-dynamodb` does, which knows all types and number forms, at about a quarter of its time; a test holds both to
 * the same.
 */
type Attribute =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly Attribute[] }
  | { readonly M: Readonly<Record<string, Attribute>> };

/** Of an object with what is undefined left out. Throws on what has no attribute type here. */
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

/** What of an operation's input is attributes, wherever it is in it. */
const attributeFields: ReadonlySet<string> = new Set(['Key', 'Item', 'ExpressionAttributeValues', 'ExclusiveStartKey']);

/** An operation's input with its values as attributes (AWS "DynamoDB API Reference"). */
export function inputWithAttributes(input: object): object {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]: [string, unknown]) => {
      if (typeof value !== 'object' || value === null || name === 'ExpressionAttributeNames') return [name, value];
      if (attributeFields.has(name)) return [name, attributesOf(value)];
      return [name, Array.isArray(value) ? value.map(inputWithAttributes) : inputWithAttributes(value)];
    }),
  );
}

/** The values of attributes as JSON has them, without sets. Throws on any other type, and on a number that JavaScript does not hold exactly. */
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

/** Types of attributes, each with a value (AWS "AttributeValue"). */
const Attributes = v.record(v.string(), v.record(v.string(), v.unknown()));
const Output = v.object({
  Item: v.optional(Attributes),
  Items: v.optional(v.array(Attributes)),
  LastEvaluatedKey: v.optional(Attributes),
});

/** The items of a response's body, as DynamoDB's protocol has them. Throws ValiError on another form. */
export function outputOf(body: string): ItemOutput {
  const { Item, Items, LastEvaluatedKey } = v.parse(Output, JSON.parse(body));
  return {
    ...(Item && { Item: valuesOf(Item) }),
    ...(Items && { Items: Items.map(valuesOf) }),
    ...(LastEvaluatedKey && { LastEvaluatedKey: valuesOf(LastEvaluatedKey) }),
  };
}

/** What a list shows of stored items: one that cannot be read hides none of the others. */
export function readable<Schema extends v.GenericSchema>(
  schema: Schema,
  items: readonly unknown[],
): v.InferOutput<Schema>[] {
  return items.flatMap((item) => {
    const result = v.safeParse(schema, item);
    return result.success ? [result.output] : [];
  });
}
