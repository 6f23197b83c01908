import { expect, test } from 'vitest';
import type { Stage } from '#lib/stage.ts';
import { stageNamed } from '#lib/stages.ts';
import { functionId, ofType, synthesise } from '../synth.ts';

const id = 'end-transcriptions';
const certificateArn = 'arn:aws:acm:us-east-1:111111111111:certificate/1';
const { api, data } = await synthesise();

const of = (type: string) => ofType(api, type).filter(([, part]) => functionId(part) === id);

test('the job of the ends of transcriptions is invoked by their topic only, whose deliveries and whose runs are kept where they fail', () => {
  const [[, subscription] = []] = of('AWS::SNS::Subscription');
  expect(subscription?.Properties).toMatchObject({ Protocol: 'lambda' });
  expect(JSON.stringify(subscription?.Properties['RedrivePolicy'])).toContain('DeadLetters');
  const [[, invoke] = []] = of('AWS::Lambda::EventInvokeConfig');
  expect(invoke?.Properties).toMatchObject({ MaximumRetryAttempts: 2 });
  const principals = of('AWS::Lambda::Permission').map(([, { Properties }]) => Properties['Principal']);
  expect(principals).toEqual(['sns.amazonaws.com']);
});

test.each<[string, Stage['frontDoor'], string]>([
  ['its own host', { kind: 'edge', domain: { name: 'text.example.com', certificateArn } }, 'https://text.example.com'],
  [
    'a front of your own',
    { kind: 'gateway', publicOrigin: 'https://a.example', trustedProxies: 1 },
    'https://a.example',
  ],
  ['a name that CloudFront assigns', { kind: 'edge', domain: null }, 'https://*.cloudfront.net'],
])('the bucket of long audio takes forms from pages of %s, and from no others', async (_, frontDoor, origin) => {
  const { data: own } = await synthesise({ stage: { ...stageNamed('live'), frontDoor } });
  const [[, bucket] = []] = ofType(own, 'AWS::S3::Bucket');
  expect(bucket?.Properties['CorsConfiguration']).toEqual({
    CorsRules: [{ AllowedOrigins: [origin], AllowedMethods: ['POST'], MaxAge: 3600 }],
  });
});

test('the bucket of long audio is private, and deletes what jobs leave and texts of a month', () => {
  const [[, bucket] = []] = ofType(data, 'AWS::S3::Bucket');
  expect(bucket?.Properties['PublicAccessBlockConfiguration']).toMatchObject({
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  });
  const { Rules } = bucket!.Properties['LifecycleConfiguration'] as {
    Rules: { Prefix?: string; ExpirationInDays?: number }[];
  };
  const days = Rules.flatMap(({ Prefix, ExpirationInDays }) => (Prefix ? [[Prefix, ExpirationInDays]] : []));
  expect(Object.fromEntries(days)).toEqual({ 'uploads/': 2, 'forms/': 2, 'replies/': 2, 'failures/': 2, 'texts/': 31 });
});

test('the role of the endpoint may do what asynchronous inference needs, in its own folders', () => {
  const [[, policy] = []] = ofType(data, 'AWS::IAM::ManagedPolicy');
  const { Statement } = policy!.Properties['PolicyDocument'] as {
    Statement: { Action: string | string[]; Resource: unknown }[];
  };
  const folders = (resource: unknown) =>
    [...JSON.stringify(resource).matchAll(/"\/([a-z]+)\/\*"/g)].map(([, name]) => String(name));
  expect(Statement.map(({ Action, Resource }) => [[Action].flat().toSorted(), folders(Resource).toSorted()])).toEqual([
    [['s3:GetObject'], ['forms']],
    [
      ['s3:AbortMultipartUpload', 's3:PutObject'],
      ['failures', 'replies'],
    ],
    [['s3:ListBucket'], []],
    [['sns:Publish'], []],
  ]);
});
