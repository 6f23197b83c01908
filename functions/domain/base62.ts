const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(alphabet.length);

/** A non-negative integer as base62 text of exactly `length` characters; throws when it does not fit. */
export function encodeInteger(value: bigint, length: number): string {
  if (base ** BigInt(length) <= value) throw new RangeError('value does not fit');
  let text = '';
  let rest = value;
  // Seven digits at a time: a BigInt costs many times as much as a number.
  for (; text.length + limbDigits <= length; rest /= limb) text = encodeNumber(Number(rest % limb), limbDigits) + text;
  return encodeNumber(Number(rest), length - text.length) + text;
}

const limbDigits = 7;
const limb = base ** BigInt(limbDigits);

/** A non-negative integer below 62 to the power of `length`. */
export function encodeNumber(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / alphabet.length)) {
    text = alphabet.charAt(rest % alphabet.length) + text;
  }
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
