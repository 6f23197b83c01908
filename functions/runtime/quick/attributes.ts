/**
 * DynamoDB's attribute values as JSON (AWS "AttributeValue"), without sets and binaries. What `@aws-sdk/util-dynamodb` does,
 * which knows all types and number forms, at about a quarter of its time; a test holds both to the same.
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

export function plainItem(attributes: Readonly<Record<string, Attribute>>): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const name of Object.keys(attributes)) item[name] = plain(attributes[name]);
  return item;
}

/** A number beyond what JavaScript holds exactly is refused, as the SDK does. */
function plain(attribute: Attribute | undefined): unknown {
  if (attribute === undefined) return undefined;
  if ('N' in attribute) return exact(attribute.N);
  if ('S' in attribute) return attribute.S;
  if ('M' in attribute) return plainItem(attribute.M);
  if ('L' in attribute) return attribute.L.map(plain);
  if ('BOOL' in attribute) return attribute.BOOL;
  if ('NULL' in attribute) return null;
  throw new TypeError(`the attribute type ${Object.keys(attribute).join()} is not read here`);
}

function exact(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) || !Number.isInteger(number)) return number;
  throw new RangeError(`${text} is no number that JavaScript holds exactly`);
}
