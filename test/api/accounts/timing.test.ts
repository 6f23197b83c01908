import { beforeAll, describe, expect, it } from 'vitest';
import { useTestService } from '#test/service/service.ts';

/** High enough for the hash to dominate the response time, low enough for many trials. */
const scryptLog2Cost = '13';
const people = 14;
const rounds = 2;
const batches = 4;
const [minRatio, maxRatio] = [0.8, 1.25];
const service = useTestService({ environment: { SCRYPT_LOG2_N: scryptLog2Cost } });
const known: string[] = [];
beforeAll(async () => {
  for (let count = 0; count < people; count++) known.push((await service.registered()).email);
  await service.settled();
});

const unknown = Array.from({ length: people }, (_, index) => `nobody-${index}@example.com`);

async function timed(path: string, body: object, message: string): Promise<number> {
  const began = performance.now();
  const response = await service.call('POST', `/api/auth/${path}`, { body });
  const ms = performance.now() - began;
  expect(response.body.message).toBe(message);
  // The job that sends the reset link must not slow the next trial.
  if (path === 'forgot-password') await service.settled();
  return ms;
}

const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1]!;

/**
 * The response time for a known address divided by that for an unknown one (medians). Trials alternate between the
 * two, so that other work of the machine affects both. If the ratio is out of bounds, up to four times as many trials
 * follow, because only a real difference persists.
 */
async function ratioOf(path: string, bodyFor: (email: string) => object, message: string): Promise<number> {
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let batch = 1; ; batch++) {
    // After a month no throttle counts the guesses and emails of earlier trials.
    await service.post('/_local/clock', { advance: 'P31D' });
    for (let trial = 0; trial < people * rounds; trial++) {
      const pair = [
        ['known', known[trial % people]!],
        ['unknown', unknown[trial % people]!],
      ] as const;
      for (const [kind, email] of trial % 2 === 0 ? pair : pair.toReversed())
        times[kind].push(await timed(path, bodyFor(email), message));
    }
    const ratio = median(times.known) / median(times.unknown);
    if (batch === batches || (ratio > minRatio && ratio < maxRatio)) return ratio;
  }
}

describe('the response time', { timeout: 120_000 }, () => {
  it('does not reveal at sign-in whether the address has an account', async () => {
    const ratio = await ratioOf('login', (email) => ({ email, password: 'not the password' }), 'INVALID_CREDENTIALS');
    expect(ratio).toBeGreaterThan(minRatio);
    expect(ratio).toBeLessThan(maxRatio);
  });

  it('does not reveal at a password reset whether the address has an account', async () => {
    const ratio = await ratioOf('forgot-password', (email) => ({ email }), 'RESET_LINK_SENT');
    expect(ratio).toBeGreaterThan(minRatio);
    expect(ratio).toBeLessThan(maxRatio);
  });
});
