import { describe, expect, it } from 'vitest';
import { meterShards } from '#contract/platform/resources.ts';
import { renewAccounts as buildRenewAccounts } from '#jobs/billing.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf, setInRow } from '#test/database/rows.ts';
import { useTestService } from '#test/service/service.ts';

const renewAccounts = buildRenewAccounts();

const service = useTestService();

describe('renew-accounts', () => {
  it('renews the accounts of its shards, and leaves an old message to the next dispatch', async () => {
    const { id } = await service.person();
    await setInRow('meters', { a: id }, 'due', 1);
    const due = async () => (await rowsOf('meters')).find(({ a }) => a === id)?.['due'];
    const run = (at: number) =>
      renewAccounts({ Records: [{ body: JSON.stringify({ shards: [id % meterShards], at }) }] } as never);
    await run(services().clock.now() - 60_001);
    expect(await due()).toBe(1);
    await run(services().clock.now());
    expect(await due()).toBeGreaterThan(Date.now() / 1000);
  });

  it('moves an account to its shard when the number of shards was raised', async () => {
    const { id } = await service.person();
    await setInRow('meters', { a: id }, 'p', 99);
    await services()
      .metering()
      .change(id, services().clock.now(), (meter) => ({ meter: { ...meter, seq: meter.seq + 1 }, entries: [] }));
    expect((await rowsOf('meters')).find(({ a }) => a === id)?.['p']).toBe(id % meterShards);
  });
});
