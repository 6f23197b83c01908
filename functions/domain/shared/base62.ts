const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(alphabet.length);

/** A safe non-negative integer below 62 to the power of `length`, as base62 text of exactly so many characters. */
export function encodeNumber(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / alphabet.length)) {
    text = alphabet.charAt(rest % alphabet.length) + text;
  }
  return text;
}

/** The integer that base62 text stands for: exact where it is a safe one. NaN when a character is foreign. */
export function decodeNumber(text: string): number {
  let value = 0;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    value = digit < 0 ? Number.NaN : value * alphabet.length + digit;
  }
  return value;
}

/** Bytes, read as one big-endian integer, as base62 text of `length` characters; throws when they do not fit. */
export function encodeBytes(bytes: Uint8Array, length: number): string {
  let text = '';
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  for (; text.length < length; rest /= base) text = alphabet.charAt(Number(rest % base)) + text;
  if (rest > 0n) throw new RangeError('the bytes do not fit');
  return text;
}

/** A character for each random byte, 5.95 bits of it: eight of them come up a quarter more often than the others. */
export function drawnText(randomBytes: Uint8Array): string {
  let text = '';
  for (const byte of randomBytes) text += alphabet.charAt(byte % alphabet.length);
  return text;
}
