const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(alphabet.length);

/** A non-negative integer as base62 text of exactly `length` characters; throws when it does not fit. */
export function encodeInteger(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= base) text = alphabet.charAt(Number(rest % base)) + text;
  if (base ** BigInt(length) <= value) throw new RangeError('value does not fit');
  return text;
}

/** Bytes, read as one big-endian integer, as base62 text of `length` characters. */
export function encodeBytes(bytes: Uint8Array, length: number): string {
  return encodeInteger(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), length);
}

/** The integer that base62 text stands for; undefined when a character is foreign. */
export function decodeInteger(text: string): bigint | undefined {
  let value = 0n;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return undefined;
    value = value * base + BigInt(digit);
  }
  return value;
}
