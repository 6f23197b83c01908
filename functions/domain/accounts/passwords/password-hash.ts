import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Uint8Array, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);

const hashBytes = 32;
const blockSize = 8;

/** A PHC string of scrypt with r=8, p=1 and N = 2^log2Cost (docs/design/accounts.md#passwords). Unicode is compared in form NFC. */
export async function hashPassword(password: string, log2Cost: number, salt: Uint8Array): Promise<string> {
  const hash = await run(password, log2Cost, salt);
  return `$scrypt$ln=${log2Cost},r=${blockSize},p=1$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Whether the password is the one of the PHC string. */
export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const parts = parsePhc(phc);
  const hash = await run(password, parts.log2Cost, parts.salt);
  return timingSafeEqual(hash, parts.hash);
}

/** Whether a stored hash was made with another cost than today's, and is to be regenerated at the next login. */
export function isOutdated(phc: string, log2Cost: number): boolean {
  return parsePhc(phc).log2Cost !== log2Cost;
}

/** A hash that no password has: verifying against it takes the same time, so the response for unknown accounts is like that for known ones. */
export function decoyHash(log2Cost: number): string {
  return `$scrypt$ln=${log2Cost},r=${blockSize},p=1$${unpadded(new Uint8Array(16))}$${unpadded(new Uint8Array(hashBytes))}`;
}

function run(password: string, log2Cost: number, salt: Uint8Array): Promise<Buffer> {
  const N = 2 ** log2Cost;
  return derive(password.normalize('NFC'), salt, hashBytes, { N, r: blockSize, p: 1, maxmem: 256 * N * blockSize });
}

function parsePhc(phc: string): { log2Cost: number; salt: Buffer; hash: Buffer } {
  const [, log2Cost, salt, hash] = /^\$scrypt\$ln=(\d+),r=8,p=1\$([\w+/]+)\$([\w+/]+)$/.exec(phc) ?? [];
  if (!log2Cost || !salt || !hash) throw new Error('stored password hash is not a PHC string of scrypt');
  return { log2Cost: Number(log2Cost), salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
