import { describe, expect, test } from 'vitest';
import { type Pump, startPump } from '#local/shared/pump.ts';

/** A pump that polls once a minute, and its number of polls. */
function slowPump(poll: (looks: number) => Promise<boolean> = async () => true): { pump: Pump; looks: () => number } {
  let looks = 0;
  const pump = startPump({
    poll: () => poll(++looks),
    restMs: 1,
    idleMs: 60_000,
    onError: (error) => {
      throw error;
    },
  });
  return { pump, looks: () => looks };
}

describe('a pump with an empty source', () => {
  test.each(['wake', 'settled'] as const)('polls immediately after %s', async (how) => {
    const { pump, looks } = slowPump();
    await pump.settled();
    const before = looks();
    void pump[how]();
    await expect.poll(looks).toBeGreaterThan(before);
    await pump.close();
  });

  test('polls again if it was woken during a poll', async () => {
    const under = Promise.withResolvers<boolean>();
    const { pump, looks } = slowPump((count) => (count === 1 ? under.promise : Promise.resolve(true)));
    pump.wake();
    under.resolve(true);
    await expect.poll(looks).toBe(2);
    await pump.close();
  });
});
