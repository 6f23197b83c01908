import { expect, test } from 'vitest';
import type { Route } from '#contract/http/route.ts';
import { maxContentDays } from '#contract/requests/stored-content.ts';
import { allRoutes, routeGroups } from '#contract/routes.ts';
import { fullStage } from '#test/stages/full-stage.ts';
import { functionsOf, ofType, pathOf, resourcesOf, synthesise } from '../synth.ts';

const live = await synthesise();
const { data, api } = await synthesise({ stage: fullStage });

/** The logical id of the bucket, and of its key, in the data stack. */
const idOf = (path: string) => Object.entries(resourcesOf(data)).find(([, one]) => pathOf(one) === path)![0];
const bucketId = idOf('Contents/Bucket');
const keyId = idOf('Contents/Key');
const bucket = resourcesOf(data)[bucketId]!.Properties;

test('prompts are stored only if the stage says so', () => {
  expect(ofType(live.data, 'AWS::KMS::Key')).toHaveLength(1);
  expect(JSON.stringify(functionsOf(live.api).values().toArray())).not.toContain('CONTENT_BUCKET');
});

test('the bucket of stored prompts has its own key, no versions, and no backup', () => {
  expect(bucket['BucketEncryption']).toEqual({
    ServerSideEncryptionConfiguration: [
      {
        BucketKeyEnabled: true,
        ServerSideEncryptionByDefault: { KMSMasterKeyID: { 'Fn::GetAtt': [keyId, 'Arn'] }, SSEAlgorithm: 'aws:kms' },
      },
    ],
  });
  expect(bucket['VersioningConfiguration']).toBeUndefined();
  const uses = Object.values(resourcesOf(data)).filter((one) => JSON.stringify(one).includes(bucketId));
  expect(uses.map(({ Type }) => Type)).toEqual(['AWS::S3::BucketPolicy']);
  expect(resourcesOf(data)[keyId]!.Properties['EnableKeyRotation']).toBe(true);
});

test('the bucket deletes objects after the days of their tag, for every choice', () => {
  const { Rules } = bucket['LifecycleConfiguration'] as { Rules: { ExpirationInDays: number; TagFilters: object[] }[] };
  const days = Array.from({ length: maxContentDays }, (_, index) => index + 1);
  expect(Rules.map(({ ExpirationInDays: after, TagFilters }) => [after, TagFilters])).toEqual(
    days.map((after) => [after, [{ Key: 'days', Value: String(after) }]]),
  );
});

test('only calls write prompts, only members and the export read them, and no operator uses the bucket', () => {
  const using = functionsOf(api)
    .entries()
    .filter(([, fn]) => JSON.stringify(fn.Properties['Environment'] ?? {}).includes('CONTENT_BUCKET'))
    .map(([id]) => id)
    .toArray();
  const declared = allRoutes.filter(({ uses }) => uses.content);
  expect(using.toSorted()).toEqual([...declared.map(({ id }) => id), 'purge-accounts'].toSorted());
  const by = (use: string) => declared.filter(({ uses }) => uses.content === use).map(({ id }) => id);
  expect(declared.filter(({ priced }) => priced).map(({ id }) => id)).toEqual(by('write'));
  expect(by('read')).toEqual(['export-account', 'get-request-content']);
  expect(by('delete')).toEqual(['delete-key-content', 'delete-request-content']);
  const operators: readonly Route[] = routeGroups.operators;
  expect(operators.filter(({ uses }) => uses.content)).toEqual([]);
});

test('a function may use the key only through S3, to write or to read', () => {
  const keyed = ofType(api, 'AWS::IAM::Policy').flatMap(([, { Properties }]) => {
    const { Statement } = Properties['PolicyDocument'] as { Statement: { Action: unknown; Condition?: object }[] };
    // The secret of payments has a key of its own.
    const others = (statement: object) => JSON.stringify(statement).includes('secretsmanager');
    return Statement.filter((one) => JSON.stringify(one.Action).includes('kms:') && !others(one));
  });
  expect(keyed.length).toBeGreaterThan(10);
  for (const { Action, Condition } of keyed) {
    expect(['kms:GenerateDataKey', 'kms:Decrypt']).toContain(Action);
    expect(JSON.stringify(Condition)).toMatch(/"kms:ViaService":.*"s3\./);
  }
});
