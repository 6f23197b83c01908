#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { projectImage } from '#runtime/jobs/billing.ts';
import { discardedImages } from '#runtime/jobs/stream-job.ts';
import { itemOf } from '#runtime/stream-image.ts';
import { requireTables } from '../functions/contract/platform/environment.ts';

/**
 * Writes the ledger rows of records that the projector discarded. Exit status: 0 if all were written, 1 if some failed,
 * 2 for a usage error.
 */
const usage = `Usage: npm run replay -- FILE...

Writes the ledger rows of the records in the files, which are objects from the projector's bucket of discarded records.
Existing rows stay unchanged, so the command can be repeated.

Environment: LEDGER_TABLE, ACCOUNTS_TABLE, PUBLIC_ORIGIN (for links in mails), AWS region and credentials;
AWS_ENDPOINT_URL_DYNAMODB for a database elsewhere.
`;

/** Number of records that could not be written. Each one is named on standard error. */
async function replay(file: string): Promise<number> {
  let failed = 0;
  const images = discardedImages(await readFile(file, 'utf8'));
  for (const image of images) {
    try {
      await projectImage(itemOf(image));
    } catch (error) {
      failed += 1;
      console.error(`${file}: the record of ${JSON.stringify(image['a'])} was not written:`, error);
    }
  }
  console.log(`${file}: ${images.length - failed} of ${images.length} records written`);
  return failed;
}

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (positionals.length === 0) throw new Error('Name at least one file.');
  requireTables('ledger', 'accounts');
  let failed = 0;
  for (const file of positionals) failed += await replay(file);
  return failed > 0 ? 1 : 0;
}

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.stderr.write(`\n${usage}`);
  process.exitCode = 2;
}
