import {
  DeleteFunctionCommand,
  type LambdaClient,
  ListTagsCommand,
  paginateListAliases,
  paginateListFunctions,
  paginateListVersionsByFunction,
} from '@aws-sdk/client-lambda';

/** Versions kept of each function: the current one, and two for rollbacks. */
export const versionsKept = 3;

/**
 * Deletes old versions of the functions tagged with the stage, one function at a time, because Lambda throttles these
 * calls.
 */
export async function pruneVersions(
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
