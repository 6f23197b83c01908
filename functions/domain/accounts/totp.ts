import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Time-based one-time passwords (RFC 6238): six digits, 30 s, SHA-1, as every authenticator app supports them. A library
 * would be longer than these lines, and would also be in every function that verifies a code.
 */
const stepSeconds = 30;

/** Codes of the previous and the next step are accepted too, because clocks differ. */
const tolerance = 1;

/** HMAC-SHA-1's output, the length that RFC 4226 recommends. */
export const secretBytes = 20;

export const stepAt = (now: number): number => Math.floor(now / 1000 / stepSeconds);

/** The code of a step (RFC 4226, section 5.3). */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Returns the step whose code this is. Undefined if it is wrong, too old or too early. `now` in epoch ms. */
export function stepOf(secret: Uint8Array, code: string, now: number): number | undefined {
  const current = stepAt(now);
  const given = Buffer.from(code);
  let found: number | undefined;
  for (let step = current - tolerance; step <= current + tolerance; step++) {
    const expected = Buffer.from(codeAt(secret, step));
    if (expected.length === given.length && timingSafeEqual(expected, given)) found = step;
  }
  return found;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding (RFC 4648), for a multiple of 5 bytes. */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/g, (five) => alphabet.charAt(Number.parseInt(five, 2)));
}
