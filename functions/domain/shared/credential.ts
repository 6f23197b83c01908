import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { decodeNumber, encodeBytes, encodeNumber } from './base62.ts';
import type { Random } from './ports.ts';

const prefixes = {
  key: 'tai_',
  session: 'tas_',
  confirmation: 'tac_',
  reset: 'tar_',
  device: 'tad_',
  emailChange: 'tae_',
} as const;
const kinds = new Map(
  Object.entries({
    tai_: 'key',
    tas_: 'session',
    tac_: 'confirmation',
    tar_: 'reset',
    tad_: 'device',
    tae_: 'emailChange',
  } as const),
);

export type CredentialKind = keyof typeof prefixes;

const prefixLength = 4;
const accountLength = 9;
const secretLength = 43;
const checksumLength = 6;
const shape = /^ta[iscrde]_[0-9A-Za-z]{58}$/;

/**
 * What a caller shows to prove who it is: `ta?_`, account reference, 32 random bytes, checksum, all base62
 * (docs/design/accounts.md#keys). The account is in the text, so that finding it costs no look-up; the checksum
 * lets a typo be refused without a read of the database. `digest` is what is stored: SHA-256 cut to 128 bits, base64url.
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

/** The credential a text is; undefined when it is malformed, mistyped or not one of ours. Needs no database. */
export function parseCredential(text: string): Credential | undefined {
  if (!shape.test(text)) return undefined;
  const kind = kinds.get(text.slice(0, prefixLength));
  const accountId = decodeNumber(text.slice(prefixLength, prefixLength + accountLength));
  const isOurs = checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
  return kind && isOurs && Number.isSafeInteger(accountId) ? { kind, accountId, digest: digestOf(text) } : undefined;
}

/** The account that a key belongs to, by the beginning of its text; undefined where that names none. Needs no database. */
export function accountOfKey(prefix: string): number | undefined {
  if (!prefix.startsWith(prefixes.key)) return undefined;
  const accountId = decodeNumber(prefix.slice(prefixLength, prefixLength + accountLength));
  return Number.isSafeInteger(accountId) ? accountId : undefined;
}

function checksum(body: string): string {
  return encodeNumber(crc32(body), checksumLength);
}

function digestOf(text: string): string {
  return hash('sha256', text, 'buffer').subarray(0, 16).toString('base64url');
}
