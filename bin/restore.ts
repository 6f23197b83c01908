#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { tables } from '#contract/platform/resources.ts';
import { type Restore, restoreTable } from './restore/restored-table.ts';

const usage = `Usage: npm run restore -- TABLE SOURCE TARGET [--at TIME]

Restores the table named SOURCE into a new one named TARGET, as of TIME (ISO 8601 with offset; default: the
latest restorable time), applies the settings of TABLE (${Object.keys(tables).join(', ')}) and prints the setting
with which a stage uses it. The command can be repeated. If TARGET exists, for example restored by AWS Backup, SOURCE
need not exist.

Environment: AWS region and credentials. docs/runbook.md lists the tables to restore together.
`;

const Arguments = v.tuple([v.picklist(Object.keys(tables).filter(isTableId)), v.string(), v.string()]);

function isTableId(id: string): id is keyof typeof tables {
  return id in tables;
}

function restoreOf(args: readonly string[], at: string | undefined): Restore & { readonly id: keyof typeof tables } {
  const parsed = v.safeParse(Arguments, args);
  if (!parsed.success) throw new Error(usage);
  const [id, source, target] = parsed.output;
  const time = v.safeParse(v.optional(v.pipe(v.string(), v.isoTimestamp())), at);
  if (!time.success) throw new Error(`${at} is not a time such as 2026-11-22T09:00:00Z.`);
  return { id, spec: tables[id], source, target, at: time.output === undefined ? undefined : new Date(time.output) };
}

async function main(): Promise<void> {
  const options = { help: { type: 'boolean' }, at: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return void process.stdout.write(usage);
  const restore = restoreOf(positionals, values.at);
  const client = new DynamoDBClient({ maxAttempts: 5 });
  const { TableName: name, LatestStreamArn: streamArn } = await restoreTable(client, restore, console.log);
  const table = { name, ...(restore.spec.stream && { streamArn }) };
  console.log(
    `\nIn the stage (lib/stages.ts):\n\nexistingTables: ${JSON.stringify({ [restore.id]: table }, null, 2)},`,
  );
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
