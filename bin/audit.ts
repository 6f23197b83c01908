#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { services } from '#runtime/services/container.ts';
import { demandTables } from './shared/tables.ts';

/**
 * Recomputes every balance from the ledger's rows. Exit status: 0 all agree, 1 there are differences, 2 it could not
 * be run.
 */
const usage = `Usage: npx node bin/audit.ts [--rebuild]

Checks that every account's ledger has no gap and adds up to its balance.

  --rebuild   rebuild the balances from the ledger table alone and compare, as after a restore
  --help      show this

Environment: METERS_TABLE, LEDGER_TABLE, AWS region and credentials; AWS_ENDPOINT_URL_DYNAMODB for a database elsewhere.
`;

function options(): { rebuild?: boolean; help?: boolean } {
  const { values } = parseArgs({ options: { rebuild: { type: 'boolean' }, help: { type: 'boolean' } } });
  return values;
}

async function run(): Promise<number> {
  const { rebuild, help } = options();
  if (help) {
    process.stdout.write(usage);
    return 0;
  }
  demandTables('meters', 'ledger');
  const auditor = services().auditor();
  const { accounts, differences } = await (rebuild ? auditor.rebuild() : auditor.audit());
  if (differences.length > 0) console.log(`${'account'.padStart(16)}  what`);
  for (const { accountId, what } of differences) console.log(`${String(accountId).padStart(16)}  ${what}`);
  console.log(`${accounts} accounts, ${differences.length} differences`);
  return differences.length > 0 ? 1 : 0;
}

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.stderr.write(`\n${usage}`);
  process.exitCode = 2;
}
