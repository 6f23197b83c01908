import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { logJob } from '#runtime/jobs/log-job.ts';
import { imageRetryJob, queueJob } from '#runtime/jobs/queue-job.ts';
import { itemStreamJob } from '#runtime/jobs/stream-job.ts';

/** The nth image of an item. `bad` images cannot be processed. */
interface Step {
  readonly a: number;
  readonly n: number;
  readonly bad?: boolean;
}

/** Steps such as '7.2 7.3!': the second image of item 7, then the third, which cannot be processed. */
const stepsOf = (text: string): Step[] =>
  text.split(' ').map((step) => {
    const [a = '', n = ''] = step.split('.');
    return { a: Number(a), n: Number.parseInt(n, 10), ...(step.endsWith('!') && { bad: true }) };
  });

const imageOf = (step: Step) => marshall(step) as NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];
const eventOf = (steps: readonly Step[]): DynamoDBStreamEvent => ({
  Records: steps.map((step, index) => ({
    dynamodb: { Keys: { a: { N: String(step.a) } }, NewImage: imageOf(step)!, SequenceNumber: `s${index}` },
  })),
});

function worker() {
  const done: Step[] = [];
  const handle = async (image: Record<string, unknown>) => {
    if (image['bad']) throw new Error('poison');
    done.push(image as unknown as Step);
  };
  return { done, handle };
}

function queue(failAfter = Number.POSITIVE_INFINITY) {
  const sent: unknown[] = [];
  const send = async (message: unknown) => {
    if (sent.length >= failAfter) throw new Error('no queue');
    sent.push(message);
  };
  return { sent, open: async () => ({ send }) };
}

describe('a stream job', () => {
  test('skips deletions', async () => {
    const event = { Records: [{ dynamodb: { Keys: { a: { N: '1' } }, SequenceNumber: 's' } }] };
    expect(await itemStreamJob(worker().handle, queue().open)(event)).toEqual({ batchItemFailures: [] });
  });

  test('sends only the named attributes of a failed image to the queue', async () => {
    const { sent, open } = queue();
    await itemStreamJob(worker().handle, open, { retryAttributes: ['a'] })(eventOf(stepsOf('7.1!')));
    expect(sent).toEqual([{ a: { N: '7' } }]);
  });

  test('sends a failed record and the later ones of its item to the queue, in order, and continues with other items', async () => {
    const { done, handle } = worker();
    const { sent, open } = queue();
    const steps = stepsOf('1.1 7.1 7.2! 2.1 7.3 1.2');
    expect(await itemStreamJob(handle, open)(eventOf(steps))).toEqual({ batchItemFailures: [] });
    expect(done).toEqual([steps[0], steps[1], steps[3], steps[5]]);
    expect(sent).toEqual([imageOf(steps[2]!), imageOf(steps[4]!)]);
  });

  test('opens no queue while nothing fails', async () => {
    const { handle } = worker();
    const open = () => Promise.reject(new Error('opened'));
    expect(await itemStreamJob(handle, open)(eventOf(stepsOf('1.1')))).toEqual({ batchItemFailures: [] });
  });

  test('processes the next batch of a failed item normally', async () => {
    const { done, handle } = worker();
    const { open } = queue();
    const job = itemStreamJob(handle, open);
    await job(eventOf(stepsOf('7.1!')));
    await job(eventOf(stepsOf('7.2')));
    expect(done).toEqual(stepsOf('7.2'));
  });

  const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });

  test('leaves an outage, which affects all items, to the retries of the stream', async () => {
    const { sent, open } = queue();
    const job = itemStreamJob(() => Promise.reject(throttled), open);
    const event = eventOf(stepsOf('1.1 2.1'));
    expect(await job(event)).toEqual({ batchItemFailures: [{ itemIdentifier: 's0' }] });
    expect(sent).toEqual([]);
  });

  test('lets the stream retry the records that the queue rejects', async () => {
    const { handle } = worker();
    const { open } = queue(1);
    const steps = stepsOf('7.1! 1.1 7.2 2.1');
    expect(await itemStreamJob(handle, open)(eventOf(steps))).toEqual({
      batchItemFailures: [{ itemIdentifier: 's2' }],
    });
  });

  test('processes at most ten items concurrently, and the records of one item in order', async () => {
    const [running, max] = [new Map<number, number>(), { items: 0, ofOne: 0 }];
    const job = itemStreamJob(async (image) => {
      const item = Number(image['a']);
      running.set(item, (running.get(item) ?? 0) + 1);
      max.items = Math.max(max.items, [...running.values()].filter(Boolean).length);
      max.ofOne = Math.max(max.ofOne, running.get(item)!);
      await sleep(1);
      running.set(item, running.get(item)! - 1);
    }, queue().open);
    const steps = Array.from({ length: 100 }, (_, n) => ({ a: n % 25, n }));
    expect(await job(eventOf(steps))).toEqual({ batchItemFailures: [] });
    expect(max).toEqual({ items: 10, ofOne: 1 });
  });

  test('starts nothing more in an outage, and reports the first unfinished record', async () => {
    const done: number[] = [];
    const outage = Promise.withResolvers<void>();
    const job = itemStreamJob(async ({ a, n }) => {
      if (a === 1) await outage.promise.then(() => sleep(1));
      if (a === 2 && n === 1) {
        outage.resolve();
        throw throttled;
      }
      done.push(Number(n));
    }, queue().open);
    const steps = stepsOf('2.0 1.10 1.11 2.1');
    expect(await job(eventOf(steps))).toEqual({ batchItemFailures: [{ itemIdentifier: 's2' }] });
    expect(done).toEqual([0, 10]);
  });

  test('neither loses nor repeats a record after any failure', async () => {
    const step = fc.record({ a: fc.integer({ min: 1, max: 4 }), bad: fc.boolean() });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (drawn) => {
      const steps = drawn.map((about, n) => ({ ...about, n }));
      const { done, handle } = worker();
      const { sent, open } = queue();
      await itemStreamJob(handle, open)(eventOf(steps));
      const numbers = [...done, ...(sent as { n: { N: string } }[]).map(({ n }) => ({ n: Number(n.N) }))];
      expect(numbers.map(({ n }) => n).toSorted((x, y) => x - y)).toEqual(steps.map(({ n }) => n));
      const poisoned = new Set(steps.filter(({ bad }) => bad).map(({ a }) => a));
      for (const item of new Set(steps.map(({ a }) => a)).difference(poisoned))
        expect(done.filter(({ a }) => a === item)).toEqual(steps.filter(({ a }) => a === item));
    });
    await fc.assert(property);
  });
});

describe('a queue job', () => {
  const messages = (bodies: readonly string[]) =>
    ({ Records: bodies.map((body, index) => ({ messageId: `m${index}`, body })) }) as SQSEvent;

  test('reports each failed message and processes the others', async () => {
    const seen: unknown[] = [];
    const job = queueJob(async (message) => {
      if (message === 'bad') throw new Error('poison');
      seen.push(message);
    });
    const response = await job(messages(['"a"', '"bad"', 'no json', '{"b":1}']));
    expect(seen).toEqual(['a', { b: 1 }]);
    expect(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(['m1', 'm2']);
  });

  test('processes an image as the stream job does', async () => {
    const { done, handle } = worker();
    const { sent, open } = queue();
    const steps = stepsOf('7.1! 7.2');
    await itemStreamJob(handle, open)(eventOf(steps));
    const response = await imageRetryJob(handle)(messages(sent.map((image) => JSON.stringify(image))));
    expect(done).toEqual([steps[1]]);
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: 'm0' }]);
  });
});

test('a log job receives only lines that match its schema', async () => {
  const messages = ['{"record":1,"other":2}', 'START RequestId: x', '{"record":"none"}', '{"record":3}'];
  const logEvents = messages.map((message) => ({ message }));
  const seen: unknown[] = [];
  const handler = logJob(v.object({ record: v.number() }), async (lines) => void seen.push(...lines));
  await handler({ awslogs: { data: gzipSync(JSON.stringify({ logEvents })).toString('base64') } });
  expect(seen).toEqual([{ record: 1 }, { record: 3 }]);
});
