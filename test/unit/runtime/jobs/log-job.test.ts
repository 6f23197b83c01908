import { gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { logJob } from '#runtime/jobs/queue-job.ts';

const eventOf = (...messages: string[]) => ({
  awslogs: {
    data: gzipSync(JSON.stringify({ logEvents: messages.map((message) => ({ message })) })).toString('base64'),
  },
});

test('gets the lines of a delivery as its schema has them, without those that cannot be read', async () => {
  const seen: unknown[] = [];
  const handler = logJob(v.object({ record: v.number() }), async (lines) => {
    seen.push(...lines);
  });
  await handler(eventOf('{"record":1,"other":2}', 'START RequestId: x', '{"record":"none"}', '{"record":3}'));
  expect(seen).toEqual([{ record: 1 }, { record: 3 }]);
});
