import { describe, expect, it } from 'vitest';
import { meterShards } from '#contract/platform/resources.ts';
import { renewAccounts as buildRenewAccounts } from '#jobs/billing.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf, setInRow } from '#test/database/rows.ts';
import { useTestService } from '#test/service/service.ts';

const service = useTestService();

const get = (accept?: string) =>
  fetch(`${service.origin}/_local/clock`, { headers: accept === undefined ? {} : { accept } });
const advance = async (duration: string) => service.post('/_local/clock', { advance: duration });

describe('GET /_local/clock', () => {
  it('returns JSON to programs, and to browsers a page with two buttons', async () => {
    expect(await (await get()).json()).toEqual({ now: expect.stringMatching(/^\d{4}-.*Z$/) });
    const page = await get('text/html,application/xhtml+xml,*/*;q=0.8');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    expect(html).toContain('Text AI platform');
    expect([...html.matchAll(/data-advance="(\w+)">([^<]+)</g)].map(([, move, label]) => [move, label])).toEqual([
      ['P1D', '+1 day'],
      ['P1M', '+1 month'],
    ]);
  });
});

describe('POST /_local/clock', () => {
  it('returns done: true once the due work is done', async () => {
    const { key } = await service.person();
    expect(await advance('P1M')).toEqual({ now: expect.any(String), done: true });
    await service.settled();
    const credits = await service.call('GET', '/api/credits', { key });
    const grants = credits.body.data.entries.filter(({ type }: { type: string }) => type === 'grant');
    expect(grants).toHaveLength(2);
  });

  it('renews accounts over more months than one run of the sweep does', async () => {
    const { id } = await service.person();
    const { done, now } = await advance('P5Y');
    expect(done).toBe(true);
    expect((await services().metering().find(id))!.due * 1000).toBeGreaterThan(Date.parse(now));
  });
});

describe('renew-accounts', () => {
  const renewAccounts = buildRenewAccounts();

  it('renews the accounts of its shards, unless its message is too old', async () => {
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

  it('moves an account to its new shard after the number of shards has changed', async () => {
    const { id } = await service.person();
    await setInRow('meters', { a: id }, 'p', 99);
    await services()
      .metering()
      .change(id, services().clock.now(), (meter) => ({ meter: { ...meter, seq: meter.seq + 1 }, entries: [] }));
    expect((await rowsOf('meters')).find(({ a }) => a === id)?.['p']).toBe(id % meterShards);
  });
});
