import { describe, expect, it } from 'vitest';
import { decoyHash, hashPassword, isOutdated, verifyPassword } from '#domain/accounts/passwords/password-hash.ts';

const salt = new Uint8Array(16).fill(7);
const cost = 12;

describe('a password hash', () => {
  it('is a PHC string with its parameters, and only the password matches it', async () => {
    const phc = await hashPassword('correct horse', cost, salt);
    expect(phc).toMatch(/^\$scrypt\$ln=12,r=8,p=1\$[\w+/]+\$[\w+/]+$/);
    expect(await verifyPassword('correct horse', phc)).toBe(true);
    expect(await verifyPassword('correct horsf', phc)).toBe(false);
  });

  it('takes the same text in any Unicode form as the same password', async () => {
    const phc = await hashPassword('caf\u00e9 au lait', cost, salt);
    expect(await verifyPassword('cafe\u0301 au lait', phc)).toBe(true);
  });

  it('is outdated when the cost has changed', async () => {
    const phc = await hashPassword('correct horse', cost, salt);
    expect([isOutdated(phc, cost), isOutdated(phc, 17)]).toEqual([false, true]);
  });

  it('of nobody matches nothing', async () => {
    expect(await verifyPassword('', decoyHash(cost))).toBe(false);
  });
});
