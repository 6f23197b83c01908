#!/usr/bin/env node
import { parseArgs } from 'node:util';
import {
  DeleteFunctionCommand,
  LambdaClient,
  ListTagsCommand,
  paginateListAliases,
  paginateListFunctions,
  paginateListVersionsByFunction,
} from '@aws-sdk/client-lambda';
import { stageNamed } from '#lib/stages.ts';

/** Versions kept of each function: the current one, and two for rollbacks. */
const versionsKept = 3;

/**
 * Deletes old versions of the functions tagged with the stage, one function at a time, because Lambda throttles these
 * calls.
 */
async function pruneVersions(
  client: LambdaClient,
  stage: string,
): Promise<{ readonly functions: number; readonly deleted: number }> {
  let [functions, deleted] = [0, 0];
  for await (const { Functions = [] } of paginateListFunctions({ client }, {}))
    for (const { FunctionName = '', FunctionArn: Resource } of Functions) {
      const { Tags = {} } = await client.send(new ListTagsCommand({ Resource }));
      if (Tags['text-ai-stage'] !== stage) continue;
      functions += 1;
      for (const Qualifier of await oldVersions(client, FunctionName)) {
        await client.send(new DeleteFunctionCommand({ FunctionName, Qualifier }));
        deleted += 1;
      }
    }
  return { functions, deleted };
}

/** Versions without an alias, except the newest ones. */
async function oldVersions(client: LambdaClient, FunctionName: string): Promise<readonly string[]> {
  const named = new Set<string | undefined>();
  for await (const { Aliases = [] } of paginateListAliases({ client }, { FunctionName }))
    for (const { FunctionVersion, RoutingConfig } of Aliases)
      for (const version of [FunctionVersion, ...Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {})])
        named.add(version);
  const versions: number[] = [];
  for await (const { Versions = [] } of paginateListVersionsByFunction({ client }, { FunctionName }))
    versions.push(...Versions.map(({ Version }) => Number(Version)).filter((version) => version > 0));
  return versions
    .toSorted((one, other) => other - one)
    .slice(versionsKept)
    .map(String)
    .filter((version) => !named.has(version));
}

const usage = `Usage: npm run prune -- STAGE

Deletes old versions of the functions of a stage (lib/stages.ts). Keeps the versions that an alias names, for example
during a rollout, and the ${versionsKept} newest ones for rollbacks (docs/runbook.md#a-function-fails).

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
  console.log(`Deleted versions: ${deleted}, of ${functions} functions.`);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
