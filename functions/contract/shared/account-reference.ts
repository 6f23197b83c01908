/** Digits of base62. */
export const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Encodes a non-negative safe integer below 62^length as base62 with `length` characters. */
export function encodeNumber(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / alphabet.length)) {
    text = alphabet.charAt(rest % alphabet.length) + text;
  }
  return text;
}

function decodeNumber(text: string): number {
  let value = 0;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    value = digit < 0 ? Number.NaN : value * alphabet.length + digit;
  }
  return value;
}

export const prefixLength = 4;
export const accountLength = 9;

/**
 * Returns the id of the account (in an invitation, of the organization) that follows the prefix of a key or token
 * (docs/security.md#credentials). Undefined if the text contains no valid id.
 */
export function accountIn(text: string): number | undefined {
  const id = decodeNumber(text.slice(prefixLength, prefixLength + accountLength));
  return Number.isSafeInteger(id) ? id : undefined;
}
