#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { requireTables } from '#contract/platform/environment.ts';
import { dayMs } from '#contract/shared/time.ts';
import { services } from '#runtime/services/container.ts';

const usage = `Usage: npx node bin/reconcile.ts [--days DAYS]

Compares the payments of the provider with the orders of the service, in both directions, and settles what is behind.

  --days DAYS   days of the provider's payments to compare (30)
  --help        show this text

Exit status: 0 if payments and credits agree, 1 if they differ, 2 if the comparison could not run.

Environment: PAYMENTS=stripe, PAYMENTS_SECRET, ACCOUNTS_TABLE, METERS_TABLE, PAYMENTS_TABLE, PAYMENTS_QUEUE_URL, AWS region and credentials.
`;

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { days: { type: 'string', default: '30' }, help: { type: 'boolean' } } });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const days = Number(values.days);
  if (!Number.isSafeInteger(days) || days < 1) throw new Error('--days must be a number of days');
  requireTables('accounts', 'meters', 'payments');
  const { reconciliation } = await services().payments();
  const since = services().clock.now() - days * dayMs;
  const found = [await reconciliation.fromProvider(since), await reconciliation.fromOrders()];
  for (const { id, problem } of found.flatMap(({ differences }) => differences)) console.log(`${id}  ${problem}`);
  const [paid = 0, orders = 0] = found.map(({ payments }) => payments);
  const differing = found.reduce((sum, { differences }) => sum + differences.length, 0);
  console.log(`${paid} payments at the provider, ${orders} orders, ${differing} differ`);
  return differing > 0 ? 1 : 0;
}

try {
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`The payments were not compared: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
