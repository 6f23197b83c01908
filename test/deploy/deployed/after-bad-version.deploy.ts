import {
  GetAliasCommand,
  LambdaClient,
  ListVersionsByFunctionCommand,
  paginateListFunctions,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { beforeAll, expect, test } from 'vitest';
import { useTestService } from '#test/service/service.ts';

/** Handler of the bad version. */
const missingHandler = 'index.missing';

const client = new LambdaClient();
const service = useTestService();
let cookie: string;
let FunctionName: string;

beforeAll(async () => {
  ({ cookie } = await service.registered());
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    const bad = Functions.find(({ Handler }) => Handler === missingHandler);
    FunctionName ??= bad?.FunctionName ?? FunctionName;
  }
});

const alias = () => client.send(new GetAliasCommand({ FunctionName, Name: 'live' }));
const versions = async () =>
  (await client.send(new ListVersionsByFunctionCommand({ FunctionName }))).Versions!.flatMap(({ Version }) =>
    Version === undefined || Version === '$LATEST' ? [] : [Version],
  );
/** The statuses of `count` calls of the function. */
async function calls(count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let call = 0; call < count; call++) {
    const response = await fetch(`${service.origin}/api/auth/me`, { headers: { cookie } });
    statuses.push(response.status);
  }
  return statuses;
}

test('a version that cannot start fails its callers, and the previous version still exists', async () => {
  expect(new Set(await calls(3))).toEqual(new Set([502]));
  const known = await versions();
  expect(known.length).toBeGreaterThan(1);
  expect((await alias()).FunctionVersion).toBe(known.at(-1));
});

test('most calls succeed while a rollout sends a tenth of them to the bad version', async () => {
  const [before = '', bad = ''] = (await versions()).slice(-2);
  const RoutingConfig = { AdditionalVersionWeights: { [bad]: 0.1 } };
  await client.send(new UpdateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: before, RoutingConfig }));
  const statuses = await calls(40);
  const failed = statuses.filter((status) => status === 502).length;
  expect(new Set(statuses)).toEqual(new Set([200, 502]));
  expect(failed).toBeLessThan(20);
});

test('every call succeeds once the alias names the previous version, as in the runbook', async () => {
  const [before = ''] = (await versions()).slice(-2);
  const RoutingConfig = { AdditionalVersionWeights: {} };
  await client.send(new UpdateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: before, RoutingConfig }));
  expect(new Set(await calls(20))).toEqual(new Set([200]));
});
