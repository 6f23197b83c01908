import { expect, test } from 'vitest';
import { queues } from '#contract/platform/resources.ts';
import { mailKey } from '#repositories/accounts/account-items.ts';
import { putRows } from '#test/database/rows.ts';
import { useTestService } from '#test/service/service.ts';

const service = useTestService();
const parkedEmails = async () => {
  const status = (await (await fetch(`${service.origin}/_local/status`)).json()) as { parked: Record<string, number> };
  return status.parked[queues.mailRetry.name];
};

test('an unreadable email is retried by its id alone, then parked, and does not delay other emails', async () => {
  await putRows('accounts', [{ ...mailKey('broken'), outbox: 'broken', text: 'https://example.com/?token=secret' }]);
  const { email } = await service.registered();
  expect(await service.mailedToken(email)).toMatch(/\w{20}/);

  for (let tries = 1; tries <= queues.mailRetry.maxReceiveCount; tries++) {
    await service.settled();
    expect(await parkedEmails()).toBe(0);
    await service.post('/_local/clock', { advance: 'PT6M' });
  }
  await service.settled();
  expect(await parkedEmails()).toBe(1);
});
