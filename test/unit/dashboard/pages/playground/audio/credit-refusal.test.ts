import { describe, expect, it } from 'vitest';
import { creditRefusal } from '../../../../../../dashboard/src/pages/playground/audio/transcription-rules.ts';

describe('a file that is to be uploaded', () => {
  it('is refused in the words of the service where the balance surely does not pay it', () => {
    const refusal = creditRefusal(32, 331);
    expect([refusal?.code, refusal?.status]).toEqual(['INSUFFICIENT_CREDITS', 402]);
    expect(refusal?.message).toBe(
      'This call needs up to 33.1 credits; you have 32 left. Upgrade the plan or wait for the next month.',
    );
  });

  it('is sent where the part of a credit that is not shown may pay it', () => {
    expect([creditRefusal(33, 331), creditRefusal(32, 329), creditRefusal(0, 9)]).toEqual(Array(3).fill(undefined));
    expect([creditRefusal(32, 330), creditRefusal(0, 10)].map((refusal) => refusal?.code)).toEqual(
      Array(2).fill('INSUFFICIENT_CREDITS'),
    );
  });

  it('of unknown length is refused where nothing is left, and only there', () => {
    expect(creditRefusal(0, undefined)?.message).toMatch(/^This call needs credits; you have 0 left\./);
    expect(creditRefusal(1, undefined)).toBeUndefined();
  });

  it('is never refused where credits are unlimited', () => {
    expect([creditRefusal(-1, 86_400), creditRefusal(100_000_000, undefined)]).toEqual([undefined, undefined]);
  });
});
