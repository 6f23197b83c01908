#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { requireTables } from '#contract/platform/environment.ts';
import { projectImage } from '#runtime/jobs/billing.ts';
import { services } from '#runtime/services/container.ts';
import { itemOf } from '#runtime/stream-image.ts';

/**
 * Writes the ledger rows of records that the projector discarded. Exit status: 0 if all were written, 1 if some failed,
 * 2 for a usage error.
 */
const usage = `Usage: npm run replay -- FILE...
       npm run replay -- --lost-charges

Writes the ledger rows of the records in the files, which are objects from the projector's bucket of discarded records.
Existing rows stay unchanged, so the command can be repeated.

  --lost-charges   post the charges of closed lanes whose records are lost, such as after a restore, as one adjustment
                   for each lane
  --help           show this text

Environment: METERS_TABLE, LEDGER_TABLE, ACCOUNTS_TABLE, PUBLIC_ORIGIN (for links in mails), AWS region and credentials;
AWS_ENDPOINT_URL_DYNAMODB for a database elsewhere.
`;

const StreamEvent = v.object({
  Records: v.array(v.object({ dynamodb: v.object({ NewImage: v.optional(v.record(v.string(), v.unknown())) }) })),
});

/** The on-failure record of Lambda, with the event as JSON text in `payload`. */
const InvocationRecord = v.object({
  payload: v.union([v.pipe(v.string(), v.parseJson(), StreamEvent), StreamEvent]),
});

/**
 * Returns the images (DynamoDB JSON, in order) of an on-failure object in S3 (AWS "Retain discarded records for a
 * DynamoDB event source in Lambda"). Throws a ValiError for invalid text.
 */
function discardedImages(text: string): readonly Record<string, unknown>[] {
  const { payload } = v.parse(v.pipe(v.string(), v.parseJson(), InvocationRecord), text);
  return payload.Records.flatMap(({ dynamodb: { NewImage } }) => (NewImage ? [NewImage] : []));
}

interface Discarded {
  readonly file: string;
  readonly image: Readonly<Record<string, unknown>>;
}

/** Retries failed records as long as others succeed, because a lane's charge requires the one before it. */
async function failedOf(records: readonly Discarded[]): Promise<(Discarded & { readonly error: unknown })[]> {
  const failed: (Discarded & { readonly error: unknown })[] = [];
  for (const record of records) {
    try {
      await projectImage(itemOf(record.image));
    } catch (error) {
      failed.push({ ...record, error });
    }
  }
  return failed.length === 0 || failed.length === records.length ? failed : failedOf(failed);
}

async function replay(files: readonly string[]): Promise<number> {
  const records: Discarded[] = [];
  for (const file of files)
    for (const image of discardedImages(await readFile(file, 'utf8'))) records.push({ file, image });
  const failed = await failedOf(records);
  for (const { file, image, error } of failed)
    console.error(`${file}: the record of ${JSON.stringify(image['a'])} was not written:`, error);
  for (const file of files) {
    const countOf = (some: readonly Discarded[]): number => some.filter((record) => record.file === file).length;
    console.log(`${file}: ${countOf(records) - countOf(failed)} of ${countOf(records)} records written`);
  }
  return failed.length;
}

async function run(): Promise<number> {
  const options = { help: { type: 'boolean' }, 'lost-charges': { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const isLost = values['lost-charges'] === true;
  if (isLost === positionals.length > 0) throw new Error('Name at least one file, or use --lost-charges alone.');
  requireTables('meters', 'ledger', 'accounts');
  if (!isLost) return (await replay(positionals)) > 0 ? 1 : 0;
  const { metering, clock } = services();
  console.log(`${await metering().postLostCharges(clock.now())} lanes posted`);
  return 0;
}

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.stderr.write(`\n${usage}`);
  process.exitCode = 2;
}
