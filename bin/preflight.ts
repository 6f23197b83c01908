#!/usr/bin/env node
import './deployed-offer.ts';
import { parseArgs } from 'node:util';
import { stageNamed } from '#lib/stages.ts';
import { exitStatusOf, type Result } from './preflight/account.ts';
import { preflight } from './preflight/checks.ts';

const usage = `Usage: npm run preflight -- STAGE

Reads the AWS account of your credentials, or of the stage (lib/stages.ts), and reports missing prerequisites of a first
deployment of the stage. Nothing is written to the account.

Exit status: 0 if nothing is missing, 1 if something is missing or could not be checked.
`;

function table(results: readonly Result[]): string {
  const width = Math.max(...results.map(({ name }) => name.length));
  return results.map(({ status, name, detail }) => `${status.padEnd(7)}  ${name.padEnd(width)}  ${detail}`).join('\n');
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
  const [name, ...rest] = positionals;
  if (values.help || name === undefined || rest.length > 0) {
    process.stdout.write(usage);
    return values.help ? 0 : 1;
  }
  const results = await preflight(stageNamed(name));
  console.log(table(results));
  return exitStatusOf(results);
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
