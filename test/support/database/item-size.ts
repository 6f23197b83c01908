/**
 * Bytes of a value by DynamoDB's rules: text in UTF-8, a number one byte per two significant digits plus one, lists
 * and maps 3 plus one per element
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
 */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberBytes(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, element) => sum + 1 + valueBytes(element), 3);
  if (typeof value === 'object' && value !== null) return 3 + Object.keys(value).length + itemBytes(value);
  return 1;
}

function numberBytes(value: number): number {
  const digits = String(Math.abs(value))
    .replace('.', '')
    .replace(/^0+|0+$/g, '').length;
  return Math.ceil(digits / 2) + (value < 0 ? 2 : 1);
}

/** Bytes of the names and values of an item or map. */
export function itemBytes(item: object): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}
