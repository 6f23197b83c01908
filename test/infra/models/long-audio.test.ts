import { expect, test } from 'vitest';
import { fullStage } from '#test/stages/full-stage.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { functionId, ofType, type Synthesis, synthesise } from '../synth.ts';

const id = 'end-transcriptions';
const { api, data } = await synthesise();

const of = (type: string) => ofType(api, type).filter(([, part]) => functionId(part) === id);

test('the job for finished transcriptions is invoked only by its topic, and failed deliveries and runs are stored', () => {
  const [[, subscription] = []] = of('AWS::SNS::Subscription');
  expect(subscription?.Properties).toMatchObject({ Protocol: 'lambda' });
  expect(JSON.stringify(subscription?.Properties['RedrivePolicy'])).toContain('DeadLetters');
  const [[, invoke] = []] = of('AWS::Lambda::EventInvokeConfig');
  expect(invoke?.Properties).toMatchObject({ MaximumRetryAttempts: 2 });
  const principals = of('AWS::Lambda::Permission').map(([, { Properties }]) => Properties['Principal']);
  expect(principals).toEqual(['sns.amazonaws.com']);
});

test.each<[string, Synthesis, string]>([
  ['its own host', { stage: fullStage }, 'https://text.example.com'],
  ['a front of your own', { stage: otherStage, buffered: true }, 'https://text.example.org'],
  ['a name that CloudFront assigns', {}, 'https://*.cloudfront.net'],
])('the long-audio bucket accepts forms only from pages of %s', async (_, synthesis, origin) => {
  const { data: own } = await synthesise(synthesis);
  const buckets = ofType(own, 'AWS::S3::Bucket').map(([, { Properties }]) => Properties['CorsConfiguration']);
  expect(buckets.filter(Boolean)).toEqual([
    { CorsRules: [{ AllowedOrigins: [origin], AllowedMethods: ['POST'], MaxAge: 3600 }] },
  ]);
});

test('the long-audio bucket is private, and deletes leftover files after a month', () => {
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

test("the endpoint's role may use only its own folders of the bucket", () => {
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
