import { expect, test } from 'vitest';
import { allJobs } from '#contract/jobs.ts';
import { queues, type TableId, tables, type TableSpec } from '#contract/platform/resources.ts';

const streamsRead = allJobs.flatMap(({ trigger }) => ('stream' in trigger ? [trigger.stream] : []));
const queuesTaken = allJobs.flatMap(({ trigger }) => ('queue' in trigger ? [trigger.queue] : []));

test.each(Object.keys(tables) as TableId[])('the stream of %s has at most two consumers', (table) => {
  expect(streamsRead.filter((stream) => stream === table).length).toBeLessThanOrEqual(2);
});

test('every stream job reads a table with a stream', () => {
  for (const stream of streamsRead) expect((tables[stream] as TableSpec).stream).toBeDefined();
});

test('every queue has one consumer job and at least one sender', () => {
  expect(queuesTaken.toSorted()).toEqual(Object.keys(queues).toSorted());
  const senders = new Set(allJobs.flatMap(({ uses }) => uses.queues ?? []));
  expect([...senders].toSorted()).toEqual(Object.keys(queues).toSorted());
});
