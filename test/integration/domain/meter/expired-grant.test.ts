import { describe, expect, it } from 'vitest';
import { monthlyGrant, planOfRank } from '#contract/billing/plans.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { useLedgerAccounts } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();
const open = useLedgerAccounts(database);

const at = (text: string): number => Date.parse(`${text}Z`) / 1000;
const date = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

describe('an expired grant', () => {
  it('cannot be spent by a call in the second of its expiry, even before any sweep', async () => {
    const account = await open({ at: at('2027-01-31T10:00:00') });
    await account.call(credits(100), credits(40));
    account.clock.seconds = at('2027-02-28T09:59:59');
    await account.call(credits(60), credits(10));
    account.clock.seconds += 1;
    const openHold = await account.admit(credits(monthlyGrant(planOfRank(1))));
    await openHold.settle(0, account.clock.now());
    await expect(account.admit(credits(101))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
    const meter = await account.current();
    await account.project();
    const rows = await account.rows(meter.seq);
    expect(rows.map(({ type, amount, at }) => [type, amount / 1e6, date(at)])).toEqual([
      ['grant', 100, '2027-01-31'],
      ['charge', -40, '2027-01-31'],
      ['charge', -10, '2027-02-28'],
      ['expiry', -50, '2027-02-28'],
      ['grant', 100, '2027-02-28'],
      ['charge', 0, '2027-02-28'],
    ]);
  });
});
