import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ServiceError } from '../shared/service-error.ts';

/** Each hash at N=2^17 uses 128 MiB and a core (docs/security.md#credentials). */
const maxConcurrent = 2;

const derive = promisify<string, Uint8Array, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);

const queue = hashQueue();

const hashBytes = 32;
const blockSize = 8;

/**
 * Version 1, which has no version field, hashes the password alone. HMAC pads its key with NUL (RFC 2104), so
 * passwords that differ only in trailing NULs have the same hash. Version 2 prefixes the password with its length.
 */
type Version = 1 | 2;

/** Returns a PHC string of scrypt with r=8, p=1 (docs/security.md#credentials). Throws 503 after `waitMs`. */
export async function hashPassword(
  password: string,
  log2Cost: number,
  salt: Uint8Array,
  waitMs?: number,
): Promise<string> {
  return phcOf(log2Cost, salt, await run(password, { version: 2, log2Cost, salt }, waitMs));
}

export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const parts = parsePhc(phc);
  const hash = await run(password, parts);
  return timingSafeEqual(hash, parts.hash);
}

/**
 * Returns whether the cost is outdated, or the version is 1. A password that ends in NUL never replaces a version 1
 * hash, because it may be a variant of the owner's password.
 */
export function isOutdated(phc: string, password: string, log2Cost: number): boolean {
  const stored = parsePhc(phc);
  if (stored.version === 1) return !password.endsWith('\0');
  return stored.log2Cost !== log2Cost;
}

/** Makes responses for unknown accounts take as long as for known ones. */
export function decoyHash(log2Cost: number): string {
  return phcOf(log2Cost, new Uint8Array(16), new Uint8Array(hashBytes));
}

interface Parameters {
  readonly version: Version;
  readonly log2Cost: number;
  readonly salt: Uint8Array;
}

function run(password: string, { version, log2Cost, salt }: Parameters, waitMs?: number): Promise<Buffer> {
  const N = 2 ** log2Cost;
  const text = password.normalize('NFC');
  const input = version === 1 ? text : `${Buffer.byteLength(text)}:${text}`;
  return queue.run(
    () => derive(input, salt, hashBytes, { N, r: blockSize, p: 1, maxmem: 256 * N * blockSize }),
    waitMs,
  );
}

function phcOf(log2Cost: number, salt: Uint8Array, hash: Uint8Array): string {
  return `$scrypt$v=2$ln=${log2Cost},r=${blockSize},p=1$${unpadded(salt)}$${unpadded(hash)}`;
}

function parsePhc(phc: string): Parameters & { readonly hash: Buffer } {
  const parts = /^\$scrypt(\$v=2)?\$ln=(\d+),r=8,p=1\$([\w+/]+)\$([\w+/]+)$/.exec(phc);
  const [, version, log2Cost, salt, hash] = parts ?? [];
  if (!log2Cost || !salt || !hash) throw new Error('stored password hash is not a PHC string of scrypt');
  return {
    version: version === undefined ? 1 : 2,
    log2Cost: Number(log2Cost),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}

/** Maximum wait in ms, well below the request timeout of 28 s. */
const maxWaitMs = 15_000;

const retryAfterSeconds = 5;

export function hashQueue(concurrency = maxConcurrent) {
  const waiting = new Set<() => void>();
  let running = 0;

  /** Throws 503 without running `hash` if it cannot start within `waitMs`. */
  async function run<Hash>(hash: () => Promise<Hash>, waitMs = maxWaitMs): Promise<Hash> {
    if (running >= concurrency) await place(waitMs);
    else running += 1;
    try {
      return await hash();
    } finally {
      passOn();
    }
  }

  function place(waitMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(start);
      reject(busy());
    }, waitMs);
    waiting.add(start);
    return promise;
  }

  function passOn(): void {
    const [next] = waiting;
    if (!next) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return { run };
}

function busy(): ServiceError {
  const detail = 'The service is busy checking passwords. Try again.';
  return new ServiceError('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds });
}
