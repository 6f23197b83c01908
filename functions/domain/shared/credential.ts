import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { accountIn, accountLength, alphabet, encodeNumber, prefixLength } from '#contract/shared/account-reference.ts';
import type { Random } from './ports.ts';

const prefixes = {
  key: 'tai_',
  session: 'tas_',
  confirmation: 'tac_',
  reset: 'tar_',
  device: 'tad_',
  emailChange: 'tae_',
  invitation: 'tao_',
  secondFactor: 'taf_',
} as const;
const kinds = new Map(
  Object.entries({
    tai_: 'key',
    tas_: 'session',
    tac_: 'confirmation',
    tar_: 'reset',
    tad_: 'device',
    tae_: 'emailChange',
    tao_: 'invitation',
    taf_: 'secondFactor',
  } as const),
);

export type CredentialKind = keyof typeof prefixes;

const secretLength = 43;
const checksumLength = 6;
const shape = /^ta[iscrdefo]_[0-9A-Za-z]{58}$/;

/**
 * An API key or token: `ta?_`, account reference, 32 random bytes, checksum, all base62
 * (docs/security.md#credentials). The embedded account saves a look-up, and the checksum rejects typos without a
 * read.
 */
export interface Credential {
  readonly kind: CredentialKind;
  readonly accountId: number;
  readonly digest: string;
}

export function issueCredential(
  kind: CredentialKind,
  accountId: number,
  random: Random,
): Credential & { text: string } {
  const secret = encodeBytes(random.bytes(32), secretLength);
  const body = prefixes[kind] + encodeNumber(accountId, accountLength) + secret;
  const text = body + checksum(body);
  return { kind, accountId, digest: digestOf(text), text };
}

/** Parses a credential without a database read. Returns undefined if it is malformed, mistyped or unknown. */
export function parseCredential(text: string): Credential | undefined {
  if (!shape.test(text)) return undefined;
  const kind = kinds.get(text.slice(0, prefixLength));
  const accountId = accountIn(text);
  const isOurs = checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
  return kind && isOurs && accountId !== undefined ? { kind, accountId, digest: digestOf(text) } : undefined;
}

/** Whether a text has the format of a key, even if it is mistyped. */
export const hasKeyFormat = (text: string): boolean => shape.test(text) && text.startsWith(prefixes.key);

/** Returns the account encoded in a key's prefix, without a database read. */
export function accountOfKey(prefix: string): number | undefined {
  return prefix.startsWith(prefixes.key) ? accountIn(prefix) : undefined;
}

function checksum(body: string): string {
  return encodeNumber(crc32(body), checksumLength);
}

function digestOf(text: string): string {
  return hash('sha256', text, 'buffer').subarray(0, 16).toString('base64url');
}

const base = BigInt(alphabet.length);

/** Encodes bytes, as one big-endian integer, as base62 with `length` characters. Throws if they do not fit. */
export function encodeBytes(bytes: Uint8Array, length: number): string {
  let text = '';
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  for (; text.length < length; rest /= base) text = alphabet.charAt(Number(rest % base)) + text;
  if (rest > 0n) throw new RangeError('the bytes do not fit');
  return text;
}

/** Maps each byte to a character with 5.95 bits of entropy. Eight characters are 25% more frequent. */
export function drawnText(randomBytes: Uint8Array): string {
  let text = '';
  for (const byte of randomBytes) text += alphabet.charAt(byte % alphabet.length);
  return text;
}

/** Creates the id of a request, hold and ledger row: 113 random bits. Never taken from the caller. */
export function newRequestId(random: Random): string {
  return drawnText(random.bytes(19));
}

/** Creates an id from 1 to 2^53 - 1: exact in JavaScript and not guessable (docs/accounts.md#ids). */
export function newAccountId(random: Random): number {
  const id = Number(BigInt(`0x${Buffer.from(random.bytes(7)).toString('hex')}`) & 0x1f_ffff_ffff_ffffn);
  return Math.max(1, id);
}

/** An id starts with milliseconds in 8 characters, so that ids sort by creation time. 71 random bits follow. */
const timeCharacters = 8;
const randomCharacters = 12;

export const timedId = (
  prefix: 'agt' | 'doc' | 'cnv' | 'msg' | 'upl' | 'trn' | 'ord',
  now: number,
  random: Random,
): string => `${prefix}_${encodeNumber(now, timeCharacters)}${drawnText(random.bytes(randomCharacters))}`;
