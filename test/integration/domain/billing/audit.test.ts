import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { tableVariables } from '#contract/platform/environment.ts';
import { tables } from '#contract/platform/resources.ts';
import { rowKey } from '#repositories/billing/ledger-items.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { fillLedger } from '#test/database/fill.ts';
import { atLength, patience, times } from '#test/many.ts';
import { type LedgerAccount, openLedgerAccount } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';
import { runCommand } from '#test/run-command.ts';

const database = useTestDatabase();
let account: LedgerAccount;

/** Several pages of a query, each at most 1 MB. */
const manyRows = atLength(6000, 100_000);

beforeEach(async () => {
  account = await openLedgerAccount(database.url);
  for (const cost of [3, 5, 7]) await account.call(credits(10), credits(cost));
  await account.project();
  return () => account.close();
});

const environment = () => ({
  AWS_ENDPOINT_URL_DYNAMODB: database.url,
  [tableVariables.meters]: tables.meters.name,
  [tableVariables.ledger]: tables.ledger.name,
});

async function audit(args: string[] = [], env: NodeJS.ProcessEnv = environment()) {
  const { status, out, err } = await runCommand('bin/audit.ts', args, env);
  return { status, out: out + err };
}

/**
 * Runs the command as `audit` does. `maxBytes`: its peak resident memory. On Linux `maxRSS` starts at the size of the
 * parent process (kernel `exec_mmap`), so the peak is read from procfs.
 */
async function measuredAudit(args: string[]) {
  const report = `import { existsSync, readFileSync } from 'node:fs';
    const peak = () => existsSync('/proc/self/status')
      ? /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
      : process.resourceUsage().maxRSS;
    process.on('exit', () => console.log('maxRSS ' + peak()));`;
  const env = { ...environment(), NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(report)}` };
  const { status, out } = await audit(args, env);
  return { status, out, maxBytes: Number(/maxRSS (\d+)/.exec(out)?.[1]) * 1024 };
}

const setInMeter = (attribute: 'c' | 'seq', value: number) =>
  database.client.send(
    new UpdateCommand({
      TableName: tables.meters.name,
      Key: { a: account.id },
      UpdateExpression: 'SET #attribute = :value',
      ExpressionAttributeNames: { '#attribute': attribute },
      ExpressionAttributeValues: { ':value': value },
    }),
  );

const loseRow = (accountId: number, seq: number) =>
  database.client.send(new DeleteCommand({ TableName: tables.ledger.name, Key: rowKey(accountId, seq) }));

/** Repeats the account's last row. */
async function repeatLastRow(rows: number): Promise<void> {
  const { Item: row } = await database.client.send(
    new GetCommand({ TableName: tables.ledger.name, Key: rowKey(account.id, 4) }),
  );
  const repeated = times(rows - 4, (index) => ({
    ...row,
    ...rowKey(account.id, index + 5),
    seq: index + 5,
    amount: 0,
  }));
  await fillLedger(database, repeated);
  await setInMeter('seq', rows);
}

describe('npx node bin/audit.ts', () => {
  it.each([[[]], [['--rebuild']]])('with %j finds no differences in a correct ledger, and exits 0', async (args) => {
    expect(await audit(args)).toEqual({ status: 0, out: '1 accounts, 0 differ, 0 behind\n' });
  });

  it('names the account with a balance that the ledger does not explain, and exits 1', async () => {
    await setInMeter('c', credits(86));
    const { status, out } = await audit();
    expect(status).toBe(1);
    expect(out).toContain(`${account.id}  the balance is ${credits(86)}, the rows add up to ${credits(85)}`);
    expect(out).toMatch(/1 accounts, 1 differ, 0 behind\n$/);
  });

  it('reports a ledger with unwritten last rows as behind, not as different, and exits 3', async () => {
    await account.call(credits(10), credits(2));
    const { status, out } = await audit();
    expect(status).toBe(3);
    expect(out).toMatch(new RegExp(`${account.id}  behind: .*4 .*5`));
    expect(out).toMatch(/1 accounts, 0 differ, 1 behind\n$/);
  });

  it('exits 1 if one account differs and another is behind', async () => {
    const other = await openLedgerAccount(database.url);
    await setInMeter('c', credits(86));
    const { status, out } = await audit();
    expect(status).toBe(1);
    expect(out).toMatch(/2 accounts, 1 differ, 1 behind\n$/);
    await other.close();
  });

  it('reads no rows that were written after the meter was read', async () => {
    const reads = account.reads();
    const [before] = await Array.fromAsync(reads.meters());
    await account.call(credits(1), credits(1));
    await account.project();
    expect(await Array.fromAsync(reads.rows(account.id, 1, before!.seq))).toHaveLength(4);
  });

  // Only the embedded database stores its rows in a file.
  it.skipIf(process.env['DYNAMODB_LOCAL'])(
    `reads a lagging ledger of ${manyRows} rows once, within 200 MB`,
    async () => {
      await repeatLastRow(manyRows);
      await loseRow(account.id, manyRows);
      for (const args of [[], ['--rebuild']]) {
        const { status, out, maxBytes } = await measuredAudit(args);
        expect(status).toBe(3);
        const read = `${manyRows - 1}`;
        expect(out).toContain(
          args.length > 0 ? `rebuilt from ${read} of ${manyRows} rows` : `the ledger has ${read} rows`,
        );
        expect(maxBytes).toBeLessThanOrEqual(200 * 1024 * 1024);
      }
    },
    patience,
  );

  it('prints its usage and exits 2 when its arguments are invalid', async () => {
    const wrong = await audit(['--fast']);
    expect([wrong.status, wrong.out]).toEqual([2, expect.stringContaining('Usage: npx node bin/audit.ts')]);
    const { [tableVariables.ledger]: _none, ...env } = environment();
    const without = await audit([], env);
    expect([without.status, without.out]).toEqual([2, expect.stringContaining('LEDGER_TABLE is not set')]);
  });
});
