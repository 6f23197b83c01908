import { execFile } from 'node:child_process';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tableVariables } from '#contract/platform/environment.ts';
import { tables } from '#contract/platform/tables.ts';
import { rowKey } from '#repositories/billing/ledger-items.ts';
import { startTestDatabase } from '#test/database/database.ts';
import { type LedgerAccount, openLedgerAccount } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;
let account: LedgerAccount;

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  account = await openLedgerAccount(database.url);
  for (const cost of [3, 5, 7]) await account.call(credits(10), credits(cost));
  await account.project();
  return () => account.close();
});

const environment = () => ({
  ...process.env,
  AWS_ENDPOINT_URL_DYNAMODB: database.url,
  [tableVariables.meters]: tables.meters.name,
  [tableVariables.ledger]: tables.ledger.name,
});

/** Runs the command; its exit status and what it printed. */
function audit(args: string[] = [], env: NodeJS.ProcessEnv = environment()): Promise<{ status: unknown; out: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['bin/audit.ts', ...args], { env }, (error, out, err) => {
      resolve({ status: error ? error.code : 0, out: out + err });
    });
  });
}

const setBalance = (balance: number) =>
  database.client.send(
    new UpdateCommand({
      TableName: tables.meters.name,
      Key: { a: account.id },
      UpdateExpression: 'SET c = :balance',
      ExpressionAttributeValues: { ':balance': balance },
    }),
  );

const loseRow = (accountId: number, seq: number) =>
  database.client.send(new DeleteCommand({ TableName: tables.ledger.name, Key: rowKey(accountId, seq) }));

describe('npx node bin/audit.ts', () => {
  it.each([[[]], [['--rebuild']]])('%j finds nothing where all is well, and exits 0', async (args) => {
    expect(await audit(args)).toEqual({ status: 0, out: '1 accounts, 0 differences\n' });
  });

  it('names the account whose balance was changed past the ledger, and exits 1', async () => {
    await setBalance(credits(86));
    const { status, out } = await audit();
    expect(status).toBe(1);
    expect(out).toContain(`${account.id}  the balance is ${credits(86)}, the rows add up to ${credits(85)}`);
    expect(out).toMatch(/1 accounts, 1 differences\n$/);
    const rebuilt = await audit(['--rebuild']);
    expect(rebuilt.status).toBe(1);
    expect(rebuilt.out).toContain(`the balance is ${credits(85)}; stored is ${credits(86)}`);
  });

  it('names the accounts of which a row is missing, in the middle or at the end, and exits 1', async () => {
    const other = await openLedgerAccount(database.url);
    for (const cost of [3, 5, 7]) await other.call(credits(10), credits(cost));
    await other.project();
    await loseRow(account.id, 2);
    await loseRow(other.id, 4);
    const [{ status, out }, rebuilt] = [await audit(), await audit(['--rebuild'])];
    expect([status, rebuilt.status]).toEqual([1, 1]);
    expect(out).toContain(`${account.id}  row 2 is missing: the next is 3`);
    expect(out).toContain(`${other.id}  the meter has counted 4 entries, the ledger has 3 rows`);
    for (const { id } of [account, other]) expect(rebuilt.out).toContain(`${id}  rebuilt from 3 of 4 rows`);
    await other.close();
  });

  it('counts rows that came after the meter was read neither way', async () => {
    const reads = account.reads();
    const [before] = await Array.fromAsync(reads.meters());
    await account.call(credits(1), credits(1));
    await account.project();
    expect(await reads.rows(account.id, before!.seq)).toHaveLength(4);
  });

  it('exits 2 and shows how it is used when it cannot be run', async () => {
    const wrong = await audit(['--fast']);
    expect([wrong.status, wrong.out]).toEqual([2, expect.stringContaining('Usage: npx node bin/audit.ts')]);
    const { [tableVariables.ledger]: _none, ...env } = environment();
    const without = await audit([], env);
    expect([without.status, without.out]).toEqual([2, expect.stringContaining('LEDGER_TABLE is not set')]);
  });
});
