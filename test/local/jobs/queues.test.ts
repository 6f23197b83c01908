import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClosers } from '#local/shared/closers.ts';
import { startQueuePump } from '#local/sqs/queue-pump.ts';
import { deadLettersOf, openQueueStore, type QueueStore, queueUrl, startSqs } from '#local/sqs/server.ts';
import { removeFolder, testFolder } from '#test/folder.ts';

const queues = [
  { name: 'work', visibilityTimeoutSeconds: 60, maxReceiveCount: 3 },
  { name: 'other', visibilityTimeoutSeconds: 10, maxReceiveCount: 5 },
];

let folder: string;
let closers: ReturnType<typeof createClosers>;
let store: QueueStore;
let url: string;
let client: SQSClient;
let now: number;

const file = () => join(folder, 'queues.sqlite');
const at = (queue: string) => queueUrl(url, queue);
const send = async (body: string, queue = 'work') =>
  (await client.send(new SendMessageCommand({ QueueUrl: at(queue), MessageBody: body }))).MessageId;
const receive = async (queue = 'work', max = 10) => {
  const command = new ReceiveMessageCommand({ QueueUrl: at(queue), MaxNumberOfMessages: max });
  return (await client.send(command)).Messages ?? [];
};
const bodies = async (queue?: string, max?: number) => (await receive(queue, max)).map(({ Body }) => Body);
const remove = (ReceiptHandle: string | undefined) =>
  client.send(new DeleteMessageCommand({ QueueUrl: at('work'), ReceiptHandle }));
const later = (seconds: number) => (now += seconds * 1000);

async function open(): Promise<void> {
  closers = createClosers();
  store = openQueueStore(file(), queues, () => now);
  closers.add(store);
  const server = await startSqs(store);
  closers.add(server);
  ({ url } = server);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new SQSClient({ endpoint: url, region: 'us-east-1', credentials, maxAttempts: 1 });
  closers.add({ close: () => client.destroy() });
}

beforeEach(async () => {
  now = Date.UTC(2027, 0, 1);
  folder = await testFolder();
  await open();
});
afterEach(async () => {
  await closers.closeAll();
  await removeFolder(folder);
});

describe('a local queue', () => {
  test('delivers messages of its own, oldest first and at most as many as requested', async () => {
    const ids = [await send('a'), await send('b'), await send('ü "c"\n')];
    const [first] = await receive('work', 1);
    expect(first).toMatchObject({ MessageId: ids[0], Body: 'a', Attributes: { ApproximateReceiveCount: '1' } });
    expect(await bodies()).toEqual(['b', 'ü "c"\n']);
    expect(new Set(ids).size).toBe(3);
    expect(await bodies('other')).toEqual([]);
  });

  test('takes messages from groups in turn, starting with the group that has the fewest received messages', async () => {
    const sendIn = (group: string, body: string) =>
      client.send(new SendMessageCommand({ QueueUrl: at('work'), MessageBody: body, MessageGroupId: group }));
    for (const body of ['a1', 'a2', 'a3', 'a4', 'a5']) await sendIn('a', body);
    await sendIn('b', 'b1');
    await sendIn('b', 'b2');
    await send('alone');
    expect(await bodies('work', 4)).toEqual(['a1', 'a2', 'b1', 'alone']);
    await sendIn('c', 'c1');
    expect(await bodies('work', 3)).toEqual(['a3', 'b2', 'c1']);
    expect(await bodies()).toEqual(['a4', 'a5']);
  });

  test('hides a delivered message until its visibility timeout ends', async () => {
    await send('a');
    expect(await bodies()).toEqual(['a']);
    later(59);
    expect(await bodies()).toEqual([]);
    later(1);
    const [again] = await receive();
    expect(again).toMatchObject({ Body: 'a', Attributes: { ApproximateReceiveCount: '2' } });
  });

  test('deletes a message by the receipt handle of its last delivery only', async () => {
    await send('a');
    const [early] = await receive();
    later(60);
    await receive();
    await remove(early?.ReceiptHandle);
    later(60);
    const [last] = await receive();
    expect(last?.Body).toBe('a');
    await remove(last?.ReceiptHandle);
    later(3600);
    expect([await bodies(), store.parked()]).toEqual([[], { work: 0, other: 0 }]);
  });

  test('moves a message to the dead-letter queue after maxReceiveCount deliveries', async () => {
    await send('poison');
    for (const _ of [1, 2, 3]) {
      expect(await bodies()).toEqual(['poison']);
      expect(store.parked()).toEqual({ work: 0, other: 0 });
      later(60);
    }
    expect(await bodies()).toEqual([]);
    expect(store.parked()).toEqual({ work: 1, other: 0 });
    expect(await bodies(deadLettersOf('work'))).toEqual(['poison']);
  });

  test('keeps messages, receive counts and visibility over a restart, in a file that only its owner can read', async () => {
    await send('hidden');
    await receive();
    await send('waiting');
    await closers.closeAll();
    await open();
    expect(await bodies()).toEqual(['waiting']);
    later(60);
    expect((await receive()).map(({ Body, Attributes }) => [Body, Attributes?.ApproximateReceiveCount])).toEqual([
      ['hidden', '2'],
      ['waiting', '2'],
    ]);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  test('rejects unknown queues, invalid bodies and more than 10 messages', async () => {
    await expect(send('a', 'nobody')).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
    await expect(send('')).rejects.toMatchObject({ name: 'ValidationException' });
    await expect(send('x'.repeat(1024 * 1024 + 1))).rejects.toMatchObject({ name: 'ValidationException' });
    await expect(receive('work', 11)).rejects.toMatchObject({ name: 'ValidationException' });
    await send('x'.repeat(1024 * 1024));
  });

  test.each([{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }])(
    'returns 403 to a web page: %o',
    async (headers) => {
      const target = { 'x-amz-target': 'AmazonSQS.SendMessage', 'content-type': 'application/x-amz-json-1.0' };
      const body = JSON.stringify({ QueueUrl: at('work'), MessageBody: 'from a page' });
      expect((await fetch(url, { method: 'POST', headers: { ...target, ...headers }, body })).status).toBe(403);
      expect(await bodies()).toEqual([]);
    },
  );

  test('reports a damaged file', async () => {
    await closers.closeAll();
    await writeFile(file(), 'not a database, and long enough to be taken for one\n'.repeat(100));
    expect(() => openQueueStore(file(), queues, () => now)).toThrow(/queues.sqlite are damaged. Remove the file/);
  });
});

describe('a queue pump', () => {
  const log: string[] = [];

  function pumpTo(deliver: (event: SQSEvent) => unknown) {
    const pump = startQueuePump({
      name: 'work',
      store,
      deliver: async (event) => deliver(event),
      log: (line) => log.push(line),
    });
    closers.add(pump);
    return pump;
  }

  test('delivers Lambda events, and deletes the messages that succeeded', async () => {
    const id = await send('a');
    const events: SQSEvent[] = [];
    await pumpTo((event) => void events.push(event)).settled();
    expect(events).toMatchObject([
      {
        Records: [
          {
            messageId: id,
            body: 'a',
            attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(now) },
            eventSource: 'aws:sqs',
            eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:work',
          },
        ],
      },
    ]);
    later(60);
    expect(await bodies()).toEqual([]);
  });

  test('retries only the failed messages', async () => {
    for (const body of ['good', 'bad', 'fine']) await send(body);
    const seen: string[] = [];
    const pump = pumpTo(({ Records }) => {
      seen.push(...Records.map(({ body }) => body));
      const failed = Records.filter(({ body }) => body === 'bad');
      return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    });
    await pump.settled();
    for (const _ of [1, 2, 3]) {
      later(60);
      await pump.settled();
    }
    expect(seen).toEqual(['good', 'bad', 'fine', 'bad', 'bad']);
    expect(store.parked()).toMatchObject({ work: 1 });
  });

  test.each([
    ['throws', () => Promise.reject(new Error('not now'))],
    ['names an unknown message', () => ({ batchItemFailures: [{ itemIdentifier: 'nobody' }] })],
    ['returns an invalid response', () => ({ batchItemFailures: 'all' })],
  ])('retries a batch when the function %s', async (_, respond) => {
    await send('a');
    await pumpTo(respond).settled();
    later(60);
    expect((await receive()).map(({ Attributes }) => Attributes?.ApproximateReceiveCount)).toEqual(['2']);
  });

  test('delivers a new message within a second', async () => {
    const seen: string[] = [];
    const pump = pumpTo(({ Records }) => void seen.push(...Records.map(({ body }) => body)));
    await pump.settled();
    await send('late');
    await expect.poll(() => seen, { timeout: 1000, interval: 20 }).toEqual(['late']);
  });
});
