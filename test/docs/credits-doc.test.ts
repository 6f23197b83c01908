import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { creditsView } from '#domain/billing/balance.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { citedTests } from '#test/docs/citations.ts';
import { AccountModel, type PlanName } from '#test/meter/account-model.ts';
import { type LedgerAccount, openLedgerAccount } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';

const text = await readFile('docs/credits.md', 'utf8');

/** The cells of the table below a heading, without the header row. */
function tableUnder(heading: string): string[][] {
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const moment = (day: string): number => Date.parse(`${day}T10:00:00Z`) / 1000;
const day = (iso: string): string => iso.slice(0, 10);
const number = (amount: number): string => amount.toLocaleString('en-US');

/** Performs the action of a cell on the account and on the model. */
async function act(what: string, account: LedgerAccount, model: AccountModel): Promise<void> {
  const [verb = '', object = ''] = [what.split(' ')[0], what.split(' ').at(-1)];
  const { id, subscriptions } = account;
  const plan = object as PlanName;
  const spent = credits(Number(object));
  switch (verb) {
    case 'subscribes':
      model.subscribe(plan);
      return void (await subscriptions.create(id, plan));
    case 'upgrades':
      model.upgrade(plan);
      return void (await subscriptions.upgrade(id, plan));
    case 'downgrades':
      model.downgrade(plan);
      return void (await subscriptions.downgrade(id, plan));
    case 'cancels':
      model.cancel();
      return void (await subscriptions.cancel(id, (await subscriptions.current(id))!.id));
    case 'spends':
      model.admit('call', spent, Number.POSITIVE_INFINITY);
      model.settle('call', spent);
      return account.call(spent, spent);
    case 'registers':
    case 'a':
    case 'the':
      return;
    default:
      throw new Error(`the test does not know how one ${what}`);
  }
}

describe('docs/credits.md', () => {
  const database = useTestDatabase();

  it("lists the amounts of Ada's six months that the service and the model compute", async () => {
    const rows = tableUnder('Six months of Ada');
    expect(rows.length).toBeGreaterThan(10);
    const first = moment(rows[0]![0]!);
    const account = await openLedgerAccount(database.url, { at: first });
    const model = new AccountModel(first);
    let before = 0;
    const computed: string[][] = [];
    for (const [on = '', what = ''] of rows) {
      account.clock.seconds = moment(on);
      model.tick(moment(on));
      await act(what, account, model);
      const { balance, lots } = creditsView(await account.current());
      expect(credits(balance)).toBe(model.spendable);
      const change = balance - before;
      before = balance;
      const alive = lots.map(
        ({ source, remaining, expiresAt }) => `${source} ${number(remaining)} until ${day(expiresAt)}`,
      );
      const sign = change > 0 ? '+' : change < 0 ? '−' : '';
      computed.push([on, what, `${sign}${number(Math.abs(change))}`, number(balance), alive.join(', ')]);
    }
    expect(rows).toEqual(computed);
    await account.close();
  });

  it('cites a test for every requirement', async () => {
    const rows = tableUnder('How it is proven');
    for (const [, , tests = ''] of rows) expect(citedTests(tests).length).toBeGreaterThan(0);
    const ids = rows.map(([id]) => id);
    const all = { L: [1, 15], C: [1, 7], R: [1, 6] } as const;
    const wanted = Object.entries(all).flatMap(([letter, [from, to]]) =>
      Array.from({ length: to - from + 1 }, (_, index) => `${letter}${from + index}`),
    );
    expect(new Set(ids)).toEqual(new Set([...wanted, 'F1', 'F2', 'F3', 'F5', 'F6', 'F8', 'F10']));
  });
});
