import { expect, test } from 'vitest';
import { allJobs } from '#contract/jobs.ts';
import { type TableId, type TableSpec, tables } from '#contract/platform/tables.ts';

const streamsRead = allJobs.flatMap(({ trigger }) => ('stream' in trigger ? [trigger.stream] : []));

test.each(Object.keys(tables) as TableId[])('the stream of %s has at most two readers', (table) => {
  expect(streamsRead.filter((stream) => stream === table).length).toBeLessThanOrEqual(2);
});

test('a job reads the streams of tables that have one', () => {
  for (const stream of streamsRead) expect((tables[stream] as TableSpec).stream).toBe(true);
});
