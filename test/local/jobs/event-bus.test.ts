import { describe, expect, test, vi } from 'vitest';
import { jobs } from '#contract/jobs.ts';
import { createEventBus } from '#local/jobs/triggers.ts';

const logger = () => vi.fn<(line: string) => void>();
const failing = (times: number) => {
  let left = times;
  return vi.fn<() => Promise<void>>(() => (left-- > 0 ? Promise.reject(new Error('not now')) : Promise.resolve()));
};

const one = { id: 'one', source: 'aws.ses' };
const two = { id: 'two', source: 'aws.ses' };

describe('the event bus', () => {
  test('delivers an event to the subscribed job until the job succeeds', async () => {
    const [log, run] = [logger(), failing(2)];
    const bus = createEventBus(log, run);
    void bus.publish(one);
    await bus.settled();
    expect(run.mock.calls).toEqual(Array.from({ length: 3 }, () => [jobs.suppressAddress, one]));
    expect(log.mock.calls.flat()).toEqual([
      expect.stringContaining('suppress-address: failed on an event: Error: not now'),
      expect.stringContaining('suppress-address: failed on an event: Error: not now'),
    ]);
  });

  test('delivers an event only to the jobs of its source', async () => {
    const [log, run] = [logger(), failing(0)];
    const bus = createEventBus(log, run);
    const receipt = { source: 'aws.sms-voice' };
    for (const event of [receipt, { source: 'aws.s3' }, {}]) void bus.publish(event);
    await bus.settled();
    expect(run.mock.calls).toEqual([[jobs.recordReceipts, receipt]]);
  });

  test('discards an event after a few attempts, reports that, and continues with others', async () => {
    const [log, run] = [logger(), failing(5)];
    const bus = createEventBus(log, run);
    void bus.publish(one);
    await bus.settled();
    expect(log).toHaveBeenLastCalledWith('suppress-address: discarded an event after the last attempt');
    void bus.publish(two);
    await bus.settled();
    expect(run).toHaveBeenCalledTimes(6);
  });

  test('stops retrying once it is closed', async () => {
    const [log, run] = [logger(), failing(100)];
    const bus = createEventBus(log, run);
    void bus.publish(one);
    await bus.close();
    expect(run.mock.calls.length).toBeLessThanOrEqual(2);
    expect(log).toHaveBeenLastCalledWith('suppress-address: discarded an event after the last attempt');
  });
});
