import { describe, expect, it, test } from 'vitest';
import { base32, codeAt, stepAt, stepOf } from '#domain/accounts/second-factor.ts';

const secret = Buffer.from('12345678901234567890');

describe('a code', () => {
  // RFC 6238, appendix B, SHA-1. Its codes have eight digits, of which six are the last.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at second %i is that of RFC 6238', (second, expected) => {
    expect(codeAt(secret, stepAt(second * 1000))).toBe(expected.slice(2));
  });

  it('is valid in its step and one step around it', () => {
    const step = stepAt(1_700_000_000_000);
    const at = (steps: number) => stepOf(secret, codeAt(secret, step), (step + steps) * 30_000);
    expect([-2, -1, 0, 1, 2].map(at)).toEqual([undefined, step, step, step, undefined]);
  });

  it('of other characters or length is not valid', () => {
    const now = 59_000;
    expect(stepOf(secret, '287082', now)).toBe(1);
    for (const wrong of ['28708', '2870820', '２８７０８２', '']) expect(stepOf(secret, wrong, now)).toBeUndefined();
  });
});

// RFC 4648, section 10: the vector whose length is a multiple of 5 bytes.
test('Base32 is that of RFC 4648', () => {
  expect(base32(Buffer.from('fooba'))).toBe('MZXW6YTB');
  expect(base32(secret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
});
