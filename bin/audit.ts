#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { requireTables } from '#contract/platform/environment.ts';
import { services } from '#runtime/services/container.ts';

// The SDK parses each page into short-lived objects. A small young generation keeps V8's memory low.
setFlagsFromString('--max-semi-space-size=1');

const exitCodes = { agree: 0, differences: 1, failed: 2, behind: 3 } as const;

const usage = `Usage: npx node bin/audit.ts [--rebuild]

Checks that every account's ledger has no gap and adds up to its balance.

  --rebuild   rebuild the balances from the amounts in the ledger alone and compare, as after a restore
  --help      show this text

Exit status: 0 if all accounts agree, 1 if an account differs from its ledger, 2 if the audit could not run, 3 if the only
differences are ledgers behind their meters, whose last rows are not written yet. In that case, audit again when
project-ledger has no records left; rows still missing then are lost.

Environment: METERS_TABLE, LEDGER_TABLE, ARCHIVE_BUCKET (once months are archived), AWS region and credentials; AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_S3 for a
database and a bucket elsewhere.
`;

function options(): { rebuild?: boolean; help?: boolean } {
  const { values } = parseArgs({ options: { rebuild: { type: 'boolean' }, help: { type: 'boolean' } } });
  return values;
}

async function run(): Promise<number> {
  const { rebuild, help } = options();
  if (help) {
    process.stdout.write(usage);
    return exitCodes.agree;
  }
  requireTables('meters', 'ledger');
  const { audit, rebuild: rebuildAll } = await services().auditor();
  let hasHeader = false;
  const { accounts, differing, behind } = await (rebuild ? rebuildAll : audit)(({ accountId, kind, problem }) => {
    if (!hasHeader) console.log(`${'account'.padStart(16)}  problem`);
    hasHeader = true;
    console.log(`${String(accountId).padStart(16)}  ${kind === 'behind' ? 'behind: ' : ''}${problem}`);
  });
  console.log(`${accounts} accounts, ${differing} differ, ${behind} behind`);
  if (differing > 0) return exitCodes.differences;
  return behind > 0 ? exitCodes.behind : exitCodes.agree;
}

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.stderr.write(`\n${usage}`);
  process.exitCode = exitCodes.failed;
}
