import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { walk } from '#bench/cost/cost.ts';
import { failedWalks } from '#contract/platform/metrics.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { seed, someOf } from '#test/many.ts';
import { killCommands, type LocalCommand, runLocal } from '#test/service/local-command.ts';
import { withMetrics } from '#test/service/watched/metrics-on.ts';

let folder: string;
let command: LocalCommand;
let origin: string;

beforeAll(async () => {
  folder = await testFolder();
  const env = { ...withMetrics, POWERTOOLS_LOG_LEVEL: 'ERROR' };
  command = runLocal(['--port', '0', '--data', folder, '--canary'], env);
  origin = await command.ready;
});
afterAll(async () => {
  await killCommands();
  await removeFolder(folder);
});

const local = (path: string, body: unknown) =>
  fetch(`${origin}/_local/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const lines = () =>
  `${command.out()}\n${command.err()}`.split('\n').flatMap((line): Record<string, any>[] => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
const walks = () => lines().filter((line) => failedWalks in line);
const mailsToCanary = async () =>
  ((await (await fetch(`${origin}/_local/mail`)).json()) as { to: string[]; subject: string }[]).filter(({ to }) =>
    to.some((address) => address.startsWith('success+canary-')),
  );

/** The metric and the failed step of the next walk, which starts when the clock moves. */
async function nextWalk() {
  const before = walks().length;
  await local('clock', { advance: 'PT1S' });
  await expect.poll(() => walks().length, { timeout: 25_000 }).toBe(before + 1);
  const failure = lines().findLast(({ message }) => message === 'the canary failed');
  const metric = walks().at(-1)!;
  return { failed: metric[failedWalks] as number, step: failure?.['step'] as string | undefined, metric };
}

afterEach(() =>
  Promise.all(['sagemaker', 'dynamodb', 'ses'].map((target) => local('faults', { target, fault: 'none' }))),
);

describe('npm start -- --canary', () => {
  test('walks from registration to chat, writes the metric of its alarm, and sends the emails that its cost assumes', async () => {
    const { failed, metric } = await nextWalk();
    expect(failed).toBe(0);
    expect(metric['_aws']).toMatchObject({ CloudWatchMetrics: [{ Metrics: [{ Name: failedWalks, Unit: 'Count' }] }] });
    await expect.poll(mailsToCanary).toHaveLength(walk.mails);
  });

  console.log(`faults of seed ${seed}`);
  const failing = [
    ['a model that fails', { target: 'sagemaker', fault: 'error' }, 'chat'],
    ['an unavailable database', { target: 'dynamodb', fault: 'unavailable' }, 'register'],
    ['emails that SES rejects', { target: 'ses', fault: 'reject' }, 'get the mail'],
  ] as const;
  test.each(someOf(failing, 1, seed))('names the failed step for %s', async (_, fault, step) => {
    await local('faults', { ...fault, count: 10_000 });
    expect(await nextWalk()).toMatchObject({ failed: 1, step });
  });

  test('succeeds after a fault', async () => {
    expect((await nextWalk()).failed).toBe(0);
  });

  test('logs no address, password, token or key of its account', () => {
    const secret = /canary-[0-9a-f]{18}|canary [0-9a-f]{24}|ta[scrd]_\w{20}/;
    expect(secret.exec(command.out() + command.err())?.[0]).toBeUndefined();
  });
});
