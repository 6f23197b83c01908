import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseStage, stageNamed } from '#lib/stages.ts';
import { fullStage } from '#test/stages/full-stage.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { shapesOf } from './shapes.ts';
import { ofType, synthesise } from './synth.ts';

const live = await synthesise();
const full = await synthesise({ stage: fullStage });
const { own, data } = live;
const other = await synthesise({ stage: otherStage, buffered: true });

/** CloudFormation's limits (AWS "CloudFormation quotas"): resources of a stack, and bytes of its template. */
const limits = { resources: 500, bytes: 1_048_576 };

test.each(Object.entries(own))('%s has room for a tenth more resources and a tenth more bytes', (_, template) => {
  expect(Object.keys(template.Resources).length).toBeLessThan(limits.resources * 0.9);
  expect(JSON.stringify(template).length).toBeLessThan(limits.bytes * 0.9);
});

describe('the resources of a stage', () => {
  const stacks = ['data', 'api', 'monitoring'] as const;

  test.each(stacks)('without options, in its %s stack, have the properties of the snapshot', async (stack) => {
    await expect(shapesOf(live[stack]).join('\n')).toMatchFileSnapshot(`snapshots/${stack}.txt`);
  });

  test.each([...stacks, 'models'] as const)(
    'with every option, in its %s stack, add those of the snapshot',
    async (stack) => {
      const usual = new Set(shapesOf(live[stack]));
      const added = shapesOf(full[stack]).filter((shape) => !usual.has(shape));
      await expect(added.join('\n')).toMatchFileSnapshot(`snapshots/${stack}-options.txt`);
    },
  );
});

test('docs/deploy.md states the number of nested stacks and tables in the templates', () => {
  const guide = readFileSync('docs/deploy.md', 'utf8');
  const nested = Object.values(own['text-ai-live-api']!.Resources).filter(
    ({ Type }) => Type === 'AWS::CloudFormation::Stack',
  );
  // The stack of pages is also nested once the dashboard is built.
  expect(guide).toContain(`${nested.length + 1} nested\nstacks`);
  expect(guide).toContain(`the ${ofType(data, 'AWS::DynamoDB::GlobalTable').length} tables (with deletion protection`);
});

test('the account and region of a stage may be set', () => {
  const replicas = ofType(other.data, 'AWS::DynamoDB::GlobalTable').map(([, { Properties }]) => Properties['Replicas']);
  expect(replicas.length).toBeGreaterThan(10);
  for (const replica of replicas) expect(replica).toMatchObject([{ Region: 'eu-west-1' }]);
});

describe('a stage is refused, and the error names the setting', () => {
  const { models, ...choices } = { ...stageNamed('live'), models: { endpoints: {}, hosted: {}, translation: 'svc-1' } };
  const hosted = {
    family: 'tei',
    image: '683313688378.dkr.ecr.us-east-1.amazonaws.com/tei:2.0.1-tei1.8.2-gpu-py310-cu122-ubuntu22.04',
    weights: 'BAAI/bge-m3',
    environment: {},
    instanceType: 'ml.g5.xlarge',
    replica: { accelerators: 1, memoryMb: 8192 },
    minReplicas: 0,
    maxReplicas: 2,
    requestsPerReplica: 8,
  };
  const certificateArn = 'arn:aws:acm:eu-west-1:111111111111:certificate/1';
  const compute = {
    kind: 'managed-instances',
    subnetIds: ['subnet-0123456789abcdef0'],
    securityGroupIds: ['sg-0123456789abcdef0'],
    routes: { 'create-chat-completion': 3 },
  };

  test.each<[object, RegExp]>([
    [{ colour: 'blue' }, /colour/],
    [{ name: 'Live' }, /name must be 1 to 16 of a-z/],
    [
      { frontDoor: { kind: 'edge', domain: { name: 'a.example.com', certificateArn } } },
      /frontDoor\.domain\.certificateArn must be the ARN of a certificate in us-east-1/,
    ],
    [
      { frontDoor: { kind: 'gateway', publicOrigin: 'https://a.example.com/x', trustedProxies: 0 } },
      /publicOrigin must be a scheme and a host/,
    ],
    [{ mail: { sender: 'no-address', identityOwner: null } }, /mail\.sender must be an email address/],
    [{ googleClientId: '' }, /googleClientId must not be empty/],
    [{ models: { ...models, endpoints: { gpt: 'x' } } }, /models\.endpoints must name models/],
    [{ models: { ...models, analysis: 'svc-embed' } }, /models\.analysis must name a chat model/],
    [{ models: { ...models, encoders: { pii: { endpoint: 'x' } } } }, /models\.encoders\.pii/],
    [{ models: { ...models, encoders: { sentiment: {} } } }, /models\.encoders\.sentiment\.endpoint/],
    [
      { models: { ...models, encoders: { sentiment: { endpoint: 'x', labels: { LABEL_0: 'joy' } } } } },
      /models\.encoders\.sentiment\.labels\.LABEL_0 must be one of positive, negative/,
    ],
    [{ models: { ...models, translation: 'svc-embed' } }, /models\.translation must name a chat model/],
    [{ models: { ...models, hosted: { 'svc-1': hosted } } }, /models\.hosted must have a family that serves/],
    [
      { models: { ...models, hosted: { 'svc-embed': { ...hosted, minReplicas: 3 } } } },
      /must not have minReplicas above maxReplicas/,
    ],
    [{ logRetentionDays: 8 }, /logRetentionDays must be one of 1, 3/],
    [{ compute: { kind: 'fargate' } }, /compute\.kind/],
    [{ compute: { ...compute, subnetIds: [] } }, /compute\.subnetIds must contain the id of at least one subnet/],
    [
      { compute: { ...compute, subnetIds: ['vpc-0123456789abcdef0'] } },
      /compute\.subnetIds\.0 must be the id of a subnet/,
    ],
    [{ compute: { ...compute, securityGroupIds: ['web'] } }, /securityGroupIds\.0 must be the id of a security group/],
    [{ compute: { ...compute, securityGroupIds: [] } }, /must contain the id of at least one security group/],
    [{ compute: { ...compute, routes: {} } }, /compute\.routes must name at least one route/],
    [
      { compute: { ...compute, routes: { 'create-chat-completion': 3, translate: 3 } } },
      /compute\.routes must name priced routes that stream: create-chat-completion, /,
    ],
    [
      { compute: { ...compute, routes: { 'create-chat-completion': 0 } } },
      /compute\.routes\.create-chat-completion must be 1 or more/,
    ],
    [{ compute: { ...compute, callsPerEnvironment: 201 } }, /compute\.callsPerEnvironment must be 200 or less/],
    [
      { compute, provisionedConcurrency: { 'create-chat-completion': 1 } },
      /provisionedConcurrency must not name a route of compute\.routes/,
    ],
    [{ provisionedConcurrency: { 'create-chats': 1 } }, /provisionedConcurrency must name routes/],
    [{ reservedConcurrency: { 'create-key': 1 } }, /reservedConcurrency must name jobs: project-ledger/],
    [
      { reservedConcurrency: { 'retry-ledger': 4 } },
      /reservedConcurrency must be 5 or more for a job on a queue: retry-ledger/,
    ],
    [{ reservedConcurrency: { 'sweep-meters': 800 } }, /alarms must have claimedConcurrency above/],
    [{ backup: { copyTo: 'arn:aws:s3:::backups', days: 35 } }, /backup\.copyTo must be the ARN of a backup vault/],
    [
      { backup: { copyTo: 'arn:aws:backup:eu-central-1:222222222222:backup-vault:Default', days: 35 } },
      /backup\.copyTo must not be the vault Default/,
    ],
    [
      {
        env: { account: '111111111111', region: 'eu-west-1' },
        backup: { copyTo: 'arn:aws:backup:eu-west-1:111111111111:backup-vault:copies', days: 35 },
      },
      /backup must have copyTo in another account or region/,
    ],
    [
      { backup: { copyTo: 'arn:aws:backup:eu-west-1:111111111111:backup-vault:copies', days: 0 } },
      /backup\.days must be 1 or more/,
    ],
    [{ env: { account: '11111111111', region: 'eu-west-1' } }, /env\.account must be the 12 digits/],
  ])('%j', (wrong, message) => {
    expect(() => parseStage({ ...choices, models, ...wrong })).toThrow(message);
  });

  test('with an unknown name, which the error states together with the known ones', () => {
    expect(() => stageNamed('prod')).toThrow(/prod.*there are: live/);
  });
});
