import { expect, test } from 'vitest';
import { live, parseStage } from '#lib/stages.ts';
import { functionId, ofType, pathOf, type Resource, synthesise, type Whole } from '../synth.ts';

const id = 'create-chat-completion';
const stage = parseStage({
  ...live,
  compute: {
    kind: 'managed-instances',
    subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
    securityGroupIds: ['sg-0123456789abcdef0'],
    routes: { [id]: 2 },
  },
});
const { api: usual } = await synthesise();
const { api } = await synthesise({ stage });

/** The parts of the route's function of one type, by logical id. */
const partsOf = (whole: Whole, type: string) => ofType(whole, type).filter(([, part]) => functionId(part) === id);

function onlyPart(whole: Whole, type: string): [string, Resource] {
  const [part, ...others] = partsOf(whole, type);
  expect(others).toEqual([]);
  return part!;
}

const [[provider, capacity] = []] = ofType(api, 'AWS::Lambda::CapacityProvider');
const [operator, role] = ofType(api, 'AWS::IAM::Role').find(([, each]) => pathOf(each).endsWith('/Operator')) ?? [];
const [fn, { Properties: properties }] = onlyPart(api, 'AWS::Lambda::Function');

test('the instances have the subnets, security groups and tag of the stage, and run ARM', () => {
  expect(ofType(api, 'AWS::Lambda::CapacityProvider')).toHaveLength(1);
  const tag = { Key: 'text-ai-stage', Value: 'live' };
  expect(capacity!.Properties).toEqual({
    VpcConfig: {
      SubnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
      SecurityGroupIds: ['sg-0123456789abcdef0'],
    },
    PermissionsConfig: { CapacityProviderOperatorRoleArn: { 'Fn::GetAtt': [operator, 'Arn'] } },
    InstanceRequirements: { Architectures: ['arm64'] },
    PropagateTags: { Mode: 'Explicit', ExplicitTags: [tag] },
    Tags: [tag],
  });
});

test('only Lambda can assume the role of the instances, which has one policy of AWS', () => {
  expect(role!.Properties['AssumeRolePolicyDocument']).toMatchObject({
    Statement: [{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } }],
  });
  expect(JSON.stringify(role!.Properties['ManagedPolicyArns'])).toMatch(
    /:iam::aws:policy\/AWSLambdaManagedEC2ResourceOperator"\]\]\}\]$/,
  );
  expect(ofType(api, 'AWS::IAM::Policy').some(([, policy]) => pathOf(policy).includes('Operator'))).toBe(false);
});

test('a named route has the smallest environment, and the concurrency that Lambda chooses', () => {
  const [, { Properties: before }] = onlyPart(usual, 'AWS::Lambda::Function');
  expect(properties).toEqual({
    ...before,
    // Without building code, the hash of its path.
    Code: expect.anything(),
    MemorySize: 2048,
    CapacityProviderConfig: {
      LambdaManagedInstancesCapacityProviderConfig: {
        CapacityProviderArn: { 'Fn::GetAtt': [provider, 'Arn'] },
        ExecutionEnvironmentMemoryGiBPerVCpu: 2,
      },
    },
    PublishToLatestPublished: false,
  });
});

test('a named route gets another function and alias, because Lambda moves none, with the same role, log and alarm', () => {
  const idsOf = (whole: Whole, type: string) => partsOf(whole, type).map(([ref]) => ref);
  for (const type of ['AWS::Lambda::Function', 'AWS::Lambda::Alias', 'AWS::Lambda::Version'])
    expect(idsOf(api, type)).not.toEqual(idsOf(usual, type));
  for (const type of ['AWS::IAM::Role', 'AWS::Logs::LogGroup', 'AWS::Logs::MetricFilter', 'AWS::CloudWatch::Alarm']) {
    expect(partsOf(api, type)).toHaveLength(1);
    expect(partsOf(api, type)).toEqual(partsOf(usual, type));
  }
});

test('a version has the minimum of environments, and is deleted with them once it is replaced', () => {
  const [version, { Properties: settings, ...policies }] = onlyPart(api, 'AWS::Lambda::Version');
  expect(settings['FunctionScalingConfig']).toEqual({ MinExecutionEnvironments: 2 });
  expect([policies.DeletionPolicy, policies.UpdateReplacePolicy]).not.toContain('Retain');
  const [, alias] = onlyPart(api, 'AWS::Lambda::Alias');
  expect(alias.Properties).toEqual({
    FunctionName: { Ref: fn },
    FunctionVersion: { 'Fn::GetAtt': [version, 'Version'] },
    Name: 'live',
  });
  expect(alias.UpdatePolicy).toHaveProperty('CodeDeployLambdaAliasUpdate');
});

test('a named route has the same grants', () => {
  const [, policy] = onlyPart(api, 'AWS::IAM::Policy');
  expect(policy.Properties).toEqual(onlyPart(usual, 'AWS::IAM::Policy')[1].Properties);
});

test('all other functions, and the whole stage without the setting, stay as they are', () => {
  const others = (whole: Whole) =>
    ofType(whole, 'AWS::Lambda::Function')
      .filter(([, part]) => functionId(part) !== id)
      .map(([ref, { Properties }]) => [ref, Properties]);
  expect(others(api)).toEqual(others(usual));
  expect(JSON.stringify(usual)).not.toContain('CapacityProvider');
});
