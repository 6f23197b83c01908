import { describe, expect, it } from 'vitest';
import { routes } from '#contract/routes.ts';
import { graceSeconds } from '#domain/meter/admission.ts';
import { balance } from '#domain/meter/meter.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { auditLedger } from '#test/meter/audit-ledger.ts';
import { useLedgerAccounts } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();
const open = useLedgerAccounts(database);

describe('workers with skewed clocks', () => {
  const timeout = Math.max(...Object.values(routes).map(({ timeoutSeconds }) => timeoutSeconds));

  /** A call on a worker with the right time, swept by a clock with an error of `skew` seconds. */
  async function callWhileSwept(skew: number) {
    const account = await open();
    const { id, clock, meters } = account;
    const deadline = clock.seconds + timeout + graceSeconds;
    const about = { accountId: id, keyId: 'key-1', service: 'chat', model: 'svc-1', minPlanRank: 1 } as const;
    const call = { requestId: 'call', amount: credits(4), now: clock.now(), deadline };
    const openHold = await meters.admit({ ...about, ...call });
    clock.seconds += timeout;
    return { openHold, account, swept: meters.sweep((clock.seconds + skew) * 1000) };
  }

  it.each([-30, 0, 30])('with a skew of %i s never end a call that may still be running', async (skew) => {
    const { openHold, account, swept } = await callWhileSwept(skew);
    await swept;
    await openHold.settle(credits(3), account.clock.now());
    expect((await account.current()).spendable).toBe(credits(97));
  });

  it.each([-300, 300])('with a skew of %i s charge each call once or not at all', async (skew) => {
    const { openHold, account, swept } = await callWhileSwept(skew);
    await swept;
    await openHold.settle(credits(3), account.clock.now());
    const meter = await account.current();
    expect(meter.spendable).toBe(skew > 0 ? credits(100) : credits(97));
    await account.project();
    expect(auditLedger(await account.rows(meter.seq), meter.seq, balance(meter))).toEqual([]);
  });

  it('do not let a released call spend expired credits after its deadline', async () => {
    const account = await open();
    const { clock, meters, id } = account;
    const { due } = await account.current();
    clock.seconds = due - 20;
    const openHold = await account.admit(credits(60));
    await meters.current(id, (due + 5) * 1000);
    await openHold.settle(credits(10), (due - 10) * 1000);
    const after = await meters.current(id, (due - 20 + 150) * 1000);
    expect(after.spendable).toBe(credits(100));
    expect(after.lots).toHaveLength(1);
  });
});
