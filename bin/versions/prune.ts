#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { stageNamed } from '#lib/stages.ts';
import { pruneVersions, versionsKept } from './function-versions.ts';

const usage = `Usage: npm run prune -- STAGE

Deletes old versions of the functions of a stage (lib/stages.ts). Keeps the versions that an alias names, for example during a
rollout, and the ${versionsKept} newest ones for rollbacks (docs/runbook.md#a-function-fails).

Environment: AWS region and credentials.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
  const [name, ...rest] = positionals;
  if (values.help) return void process.stdout.write(usage);
  if (name === undefined || rest.length > 0) throw new Error(usage);
  const { env } = stageNamed(name);
  const client = new LambdaClient({ maxAttempts: 10, ...(env && { region: env.region }) });
  const { functions, deleted } = await pruneVersions(client, name);
  console.log(`${deleted} versions of ${functions} functions deleted.`);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
