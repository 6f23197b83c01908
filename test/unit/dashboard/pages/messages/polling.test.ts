import { expect, it } from 'vitest';
import type { MessageStatus } from '#contract/messages/messages.ts';
import { pollMsOf } from '../../../../../dashboard/src/pages/messages/message.ts';

const now = Date.UTC(2026, 0, 1);
const message = (status: MessageStatus, seconds: number) => ({
  status,
  createdAt: new Date(now - 1000 * seconds).toISOString(),
});

it('messages are read again while one is on its way, less and less often, and no longer than 15 minutes', () => {
  const cases: [messages: ReturnType<typeof message>[], expected: number | false][] = [
    [[], false],
    [[message('delivered', 1), message('undelivered', 1), message('failed', 1), message('unknown', 1)], false],
    [[message('delivered', 1), message('sent', 5)], 1000],
    [[message('queued', 0)], 1000],
    [[message('sent', 60)], 3000],
    [[message('sent', 300), message('sent', 3000)], 15_000],
    [[message('sent', 900)], false],
  ];
  for (const [messages, expected] of cases) expect([messages, pollMsOf(messages, now)]).toEqual([messages, expected]);
});
