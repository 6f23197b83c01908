import { describe, expect, test } from 'vitest';
import { type Pump, startPump } from '#local/shared/pump.ts';

/** A pump that looks again after a minute only, and how often it has looked. */
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

describe('a pump whose source is empty', () => {
  test.each(['wake', 'settled'] as const)('looks again immediately when it is called: %s', async (how) => {
    const { pump, looks } = slowPump();
    await pump.settled();
    const before = looks();
    void pump[how]();
    await expect.poll(looks).toBeGreaterThan(before);
    await pump.close();
  });

  test('looks again when it is woken in the middle of a poll, which may have missed something', async () => {
    const under = Promise.withResolvers<boolean>();
    const { pump, looks } = slowPump((count) => (count === 1 ? under.promise : Promise.resolve(true)));
    pump.wake();
    under.resolve(true);
    await expect.poll(looks).toBe(2);
    await pump.close();
  });

  test('rests otherwise', async () => {
    const { pump, looks } = slowPump();
    await pump.settled();
    const before = looks();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(looks()).toBe(before);
    await pump.close();
  });
});
