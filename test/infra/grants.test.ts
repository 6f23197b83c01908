import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { functionId, ofType, pathOf, resourcesOf, synthesise } from './synth.ts';

interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

interface Grant {
  readonly action: string;
  readonly resource: string;
  readonly condition: string;
}

let data: Template;
let api: Template;
let grants: ReadonlyMap<string, readonly Grant[]>;

beforeAll(() => {
  ({ data, api } = synthesise());
  grants = grantsByFunction();
});

/** What the service itself makes every function have: its own log, and traces, which know no resource. */
const isOwnTrail = (id: string, { action, resource }: Grant) =>
  (['logs:CreateLogStream', 'logs:PutLogEvents'].includes(action) && resource === `${id}/Logs`) ||
  (['xray:PutTelemetryRecords', 'xray:PutTraceSegments'].includes(action) && resource === '*');

test('every function has a role of its own, which nothing but Lambda may take on', () => {
  const functions = ofType(api, 'AWS::Lambda::Function');
  const roles = functions.map(([, fn]) => (fn.Properties['Role'] as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0]);
  expect(new Set(roles).size).toBe(functions.length);
  for (const role of roles) {
    const { AssumeRolePolicyDocument, ...rest } = resourcesOf(api)[role]!.Properties;
    expect(AssumeRolePolicyDocument).toMatchObject({ Statement: [{ Principal: { Service: 'lambda.amazonaws.com' } }] });
    expect(rest).toEqual({});
  }
});

test('every function writes its own log and traces', () => {
  for (const [id, granted] of grants) expect(granted.filter((grant) => isOwnTrail(id, grant))).toHaveLength(4);
});

test('beyond that, each may do exactly this', async () => {
  const lines = [...grants]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .flatMap(([id, granted]) => [
      id,
      ...describeGrants(granted.filter((grant) => !isOwnTrail(id, grant))).map((line) => `  ${line}`),
    ]);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('grants.txt');
});

test('no action is a pattern, and no resource but that of the traces', () => {
  for (const [id, granted] of grants) {
    expect(granted.filter(({ action }) => action.includes('*'))).toEqual([]);
    const wide = granted.filter(({ resource }) => resource.includes('*'));
    expect(wide.filter((grant) => !isOwnTrail(id, grant))).toEqual([]);
  }
});

test('the only other role lets API Gateway write its log', () => {
  const roles = ofType(api, 'AWS::IAM::Role').map(([, role]) => pathOf(role));
  const others = roles.filter((path) => !/^[a-z-]+\/Role$/.test(path));
  expect(others).toEqual(['Api/RestApi/CloudWatchRole']);
});

function grantsByFunction(): Map<string, Grant[]> {
  const policies = ofType(api, 'AWS::IAM::Policy').map(([, policy]): [string, Grant[]] => {
    const { Statement } = policy.Properties['PolicyDocument'] as { Statement: readonly Statement[] };
    return [functionId(policy), Statement.flatMap(grantsOf)];
  });
  expect(new Set(policies.map(([id]) => id)).size).toBe(policies.length);
  return new Map(policies);
}

function grantsOf({ Effect, Action, Resource, Condition }: Statement): Grant[] {
  expect(Effect).toBe('Allow');
  const condition = Condition ? ` if ${JSON.stringify(Condition)}` : '';
  return [Action]
    .flat()
    .flatMap((action) => [Resource].flat().map((resource) => ({ action, resource: nameOf(resource), condition })));
}

/** One line for each resource and service. */
function describeGrants(granted: readonly Grant[]): string[] {
  const lines = Map.groupBy(granted, ({ action, resource, condition }) => {
    const [service] = action.split(':');
    return `${resource}${condition}: ${service}`;
  });
  return [...lines]
    .map(([line, rows]) => [line, ...rows.map(({ action }) => action.replace(/^\w+:/, '')).toSorted()].join(' '))
    .toSorted();
}

/** A readable name of what an ARN in the API stack points at. */
function nameOf(arn: unknown): string {
  if (typeof arn === 'string') return arn;
  const {
    Ref,
    'Fn::Join': join,
    'Fn::GetAtt': attribute,
    'Fn::ImportValue': exported,
  } = arn as {
    Ref?: string;
    'Fn::Join'?: [string, unknown[]];
    'Fn::GetAtt'?: [string, string];
    'Fn::ImportValue'?: string;
  };
  if (Ref) return Ref in resourcesOf(api) ? pathOf(resourcesOf(api)[Ref]!) : Ref.replace('AWS::', '');
  if (join)
    return join[1]
      .map(nameOf)
      .join(join[0])
      .replace(/^arn:Partition:(\w+):Region:AccountId:/, '$1 ');
  if (attribute) return pathOf(resourcesOf(api)[attribute[0]]!);
  const outputs: { Value: { 'Fn::GetAtt': [string, string] }; Export: { Name: string } }[] = Object.values(
    data.toJSON()['Outputs'],
  );
  const [table, kind] = outputs.find(({ Export }) => Export.Name === exported)!.Value['Fn::GetAtt'];
  return `table ${pathOf(resourcesOf(data)[table]!)}${kind === 'StreamArn' ? '/stream' : ''}`;
}
