import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decoyHash, hashPassword, isOutdated, verifyPassword } from '#domain/accounts/password-hash.ts';

const salt = new Uint8Array(16).fill(7);
const cost = 12;

/** A hash stored before the length became part of the input. */
function versionOne(password: string): string {
  const hash = scryptSync(password, salt, 32, { N: 2 ** cost, r: 8, p: 1 });
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');
  return `$scrypt$ln=${cost},r=8,p=1$${base64(salt)}$${base64(hash)}`;
}

describe('a password hash', () => {
  it('is a PHC string with its parameters, and only the password matches it', async () => {
    const phc = await hashPassword('correct horse', cost, salt);
    expect(phc).toMatch(/^\$scrypt\$v=2\$ln=12,r=8,p=1\$[\w+/]+\$[\w+/]+$/);
    expect(await verifyPassword('correct horse', phc)).toBe(true);
    expect(await verifyPassword('correct horsf', phc)).toBe(false);
  });

  it('takes the same text in any Unicode form as the same password', async () => {
    const phc = await hashPassword('caf\u00e9 au lait', cost, salt);
    expect(await verifyPassword('cafe\u0301 au lait', phc)).toBe(true);
  });

  it('is outdated when the cost has changed', async () => {
    const phc = await hashPassword('correct horse', cost, salt);
    expect([isOutdated(phc, 'correct horse', cost), isOutdated(phc, 'correct horse', 17)]).toEqual([false, true]);
  });

  it.each(['\0', '\0\0\0', '\0'.repeat(40)])('does not match the password with %j after it', async (tail) => {
    const phc = await hashPassword('correct horse', cost, salt);
    expect(await verifyPassword(`correct horse${tail}`, phc)).toBe(false);
    expect(await verifyPassword('correct horse', await hashPassword(`correct horse${tail}`, cost, salt))).toBe(false);
  });

  it('of version 1 still matches its password, and is outdated for every password but one that ends in NUL', async () => {
    const phc = versionOne('correct horse');
    expect(await verifyPassword('correct horse', phc)).toBe(true);
    expect(await verifyPassword('correct horsf', phc)).toBe(false);
    expect([isOutdated(phc, 'correct horse', cost), isOutdated(phc, 'correct horse\0', cost)]).toEqual([true, false]);
  });

  it('of nobody matches nothing', async () => {
    expect(await verifyPassword('', decoyHash(cost))).toBe(false);
  });
});
