import * as v from 'valibot';
import { endOfString } from '#domain/shared/text.ts';

type Item = Record<string, unknown>;

/**
 * Attribute values that are written, in DynamoDB's JSON (AWS "AttributeValue"). Takes a quarter of the time of
 * `marshall` in `@aws-sdk/util-dynamodb`, which supports more types; a test compares both.
 */
type Attribute =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly Attribute[] }
  | { readonly M: Readonly<Record<string, Attribute>> };

/** Leaves out undefined values. Throws TypeError on a value without an attribute type. */
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
  if (typeof value === 'bigint') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.filter((one) => one !== undefined).map(attributeOf) };
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) return { M: attributesOf(value) };
  throw new TypeError(`DynamoDB has no attribute for a ${typeof value} like this`);
}

/** Names of fields, at any depth of an operation's input, whose values are attributes. */
const attributeFields: ReadonlySet<string> = new Set(['Key', 'Item', 'ExpressionAttributeValues', 'ExclusiveStartKey']);

/** Converts the values in an operation's input to attributes (AWS "DynamoDB API Reference"). */
export function inputWithAttributes(input: object): object {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]: [string, unknown]) => {
      if (typeof value !== 'object' || value === null || name === 'ExpressionAttributeNames') return [name, value];
      if (attributeFields.has(name)) return [name, attributesOf(value)];
      return [name, Array.isArray(value) ? value.map(inputWithAttributes) : inputWithAttributes(value)];
    }),
  );
}

/**
 * Converts attributes to values, and sets of strings to a `Set`. Throws TypeError on other types, RangeError on an
 * integer that JavaScript cannot represent exactly.
 */
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
    if (type === 'SS' && Array.isArray(value)) return new Set(value.map(String));
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

/** Items in the output of an operation. */
export interface ItemOutput {
  readonly Item?: Item | undefined;
  readonly Items?: Item[] | undefined;
  readonly LastEvaluatedKey?: Item | undefined;
}

/** Reads the body of a response. Throws ValiError on an unknown format. */
export function outputOf(body: string): ItemOutput {
  const { Item, Items, LastEvaluatedKey } = v.parse(Output, JSON.parse(body));
  return {
    ...(Item && { Item: valuesOf(Item) }),
    ...(Items && { Items: Items.map(valuesOf) }),
    ...(LastEvaluatedKey && { LastEvaluatedKey: valuesOf(LastEvaluatedKey) }),
  };
}

/** Character codes of JSON syntax. */
const [quote, openBrace, closeBrace] = [0x22, 0x7b, 0x7d] as const;

/**
 * Reads the given attributes of the item in a response to UpdateItem, `{"Attributes":{…}}`. Returns undefined if the
 * response contains no item. Skips the other attributes unparsed: they include the holds of running calls, whose ids
 * make V8 create a new object shape in each call. Throws SyntaxError if the response is truncated.
 */
export function itemOf(body: string, wanted: Pick<ReadonlySet<string>, 'has'>): Item | undefined {
  if (!body.trimStart().startsWith('{')) throw new SyntaxError('a response is a JSON object');
  const item: Item = {};
  let [depth, start, name, hasItem] = [0, 0, '', false];
  for (let at = 0; at < body.length; at += 1) {
    const mark = body.charCodeAt(at);
    if (mark === quote) {
      const end = endOfString(body, at + 1);
      if (end < 0) throw new SyntaxError('a string has no end');
      if (depth < 3) name = JSON.parse(body.slice(at, end + 1));
      at = end;
    } else if (mark === openBrace) {
      depth += 1;
      if (depth === 2) hasItem = name === 'Attributes';
      if (depth === 3) start = at;
    } else if (mark === closeBrace) {
      depth -= 1;
      if (depth === 2 && hasItem && wanted.has(name)) item[name] = valueOf(JSON.parse(body.slice(start, at + 1)));
    }
  }
  if (depth !== 0) throw new SyntaxError('a response has no end');
  return hasItem ? item : undefined;
}
