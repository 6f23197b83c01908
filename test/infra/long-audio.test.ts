import { expect, test } from 'vitest';
import { functionId, ofType, synthesise } from './synth.ts';

const id = 'end-transcriptions';
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
