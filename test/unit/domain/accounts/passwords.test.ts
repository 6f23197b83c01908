import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decoyHash, hashPassword, hashQueue, isOutdated, verifyPassword } from '#domain/accounts/passwords.ts';

/** Hashes that the test completes. */
function hashes() {
  const open: PromiseWithResolvers<string>[] = [];
  let [running, maxRunning] = [0, 0];
  const hash = async (): Promise<string> => {
    const one = Promise.withResolvers<string>();
    open.push(one);
    maxRunning = Math.max(maxRunning, ++running);
    try {
      return await one.promise;
    } finally {
      running -= 1;
    }
  };
  return { hash, open, maxRunning: () => maxRunning };
}

describe('the queue of password hashes', () => {
  it('runs 60 hashes in request order, two at a time', async () => {
    const { run } = hashQueue();
    const { hash, open, maxRunning } = hashes();
    const results: number[] = [];
    const all = Array.from({ length: 60 }, async (_, index) => {
      await run(hash);
      results.push(index);
    });
    for (let index = 0; index < 60; index++) {
      await expect.poll(() => open.length).toBeGreaterThan(index);
      open[index]!.resolve('');
    }
    await Promise.all(all);
    expect([maxRunning(), results]).toEqual([2, Array.from({ length: 60 }, (_, index) => index)]);
  });

  it('refuses a hash with 503 if it waits too long, and continues with later ones', async () => {
    const { run } = hashQueue(1);
    const { hash, open } = hashes();
    const first = run(hash);
    await expect(run(hash, 50)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 });
    expect(open).toHaveLength(1);
    open[0]!.resolve('first');
    expect(await first).toBe('first');
    const next = run(hash);
    open[1]!.resolve('next');
    expect(await next).toBe('next');
  });

  it('continues after a failed hash', async () => {
    const { run } = hashQueue(1);
    await expect(run(() => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory');
    expect(await run(() => Promise.resolve('next'))).toBe('next');
  });
});

const salt = new Uint8Array(16).fill(7);
const cost = 12;

/** A hash stored before the length became part of the input. */
function versionOne(password: string): string {
  const hash = scryptSync(password, salt, 32, { N: 2 ** cost, r: 8, p: 1 });
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');
  return `$scrypt$ln=${cost},r=8,p=1$${base64(salt)}$${base64(hash)}`;
}

describe('a password hash', () => {
  it('is a PHC string with its parameters, and matches only the password', async () => {
    const phc = await hashPassword('correct horse', cost, salt);
    expect(phc).toMatch(/^\$scrypt\$v=2\$ln=12,r=8,p=1\$[\w+/]+\$[\w+/]+$/);
    expect(await verifyPassword('correct horse', phc)).toBe(true);
    expect(await verifyPassword('correct horsf', phc)).toBe(false);
  });

  it('matches any Unicode normalization of the password', async () => {
    const phc = await hashPassword('caf\u00e9 au lait', cost, salt);
    expect(await verifyPassword('cafe\u0301 au lait', phc)).toBe(true);
  });

  it('is outdated if the cost has changed', async () => {
    const phc = await hashPassword('correct horse', cost, salt);
    expect([isOutdated(phc, 'correct horse', cost), isOutdated(phc, 'correct horse', 17)]).toEqual([false, true]);
  });

  it.each(['\0', '\0\0\0', '\0'.repeat(40)])('does not match the password followed by %j', async (tail) => {
    const phc = await hashPassword('correct horse', cost, salt);
    expect(await verifyPassword(`correct horse${tail}`, phc)).toBe(false);
    expect(await verifyPassword('correct horse', await hashPassword(`correct horse${tail}`, cost, salt))).toBe(false);
  });

  it('of version 1 matches its password, and is outdated unless the password ends in NUL', async () => {
    const phc = versionOne('correct horse');
    expect(await verifyPassword('correct horse', phc)).toBe(true);
    expect(await verifyPassword('correct horsf', phc)).toBe(false);
    expect([isOutdated(phc, 'correct horse', cost), isOutdated(phc, 'correct horse\0', cost)]).toEqual([true, false]);
  });

  it('of a missing account matches nothing', async () => {
    expect(await verifyPassword('', decoyHash(cost))).toBe(false);
  });
});
