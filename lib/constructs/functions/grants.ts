import { isDeepStrictEqual } from 'node:util';
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Access, AudioFileUse, ContentUse, Uses } from '#contract/http/route.ts';
import { modelNamed } from '#contract/inference/models.ts';
import { type BedrockEndpoint, bedrockModel, bedrockRegion } from '#contract/offer/offer.ts';
import { queueVariables, tableVariables } from '#contract/platform/environment.ts';
import { type EncoderPlace, encoderPlaces, type ModelEndpoint } from '#contract/platform/model-endpoints.ts';
import { type QueueId, type TableId, tables as specs, type TableSpec } from '#contract/platform/resources.ts';
import type { AudioFiles, LedgerArchive, StoredContents } from '#lib/constructs/data/buckets.ts';
import type { Mail, Messaging } from '#lib/constructs/data/mail.ts';
import type { Tables } from '#lib/constructs/data/tables.ts';
import { allEndpoints, endpointsOf, secretsOf, type Stage } from '#lib/stage.ts';
import type { Variables } from './service-function.ts';

export interface Resources {
  /** Tables of the data stack. */
  readonly tables: Tables;
  /** Configuration set for emails. */
  readonly mail: Mail;
  /** Resources for messages to phones. Undefined for a stage without destination countries. */
  readonly messaging: Messaging | undefined;
  /** Files of long audio. */
  readonly audio: AudioFiles;
  /** Closed months of the ledger. */
  readonly archive: LedgerArchive;
  /** Stored prompts and responses. Undefined if the stage stores none. */
  readonly contents: StoredContents | undefined;
  /** Queues of jobs. Absent if no function of the group sends to one. */
  readonly queues?: ReadonlyMap<QueueId, IQueue>;
  /** Environment variables for the email sender, the model endpoints and the identity provider. */
  readonly stage: Stage;
}

/** Grants a function exactly the `uses` of its route or job, and sets the environment variables with their names. */
export function grantUses(
  fn: LambdaFunction,
  uses: Uses,
  { tables, mail, messaging, audio, archive, contents, queues, stage }: Resources,
): void {
  for (const [id, access] of Object.entries(uses.tables ?? {})) {
    if (isTableId(id)) grantTable(fn, tables, id, access);
  }
  for (const id of uses.queues ?? []) {
    if (id !== 'payments' || stage.payments) grantQueue(fn, id, queues?.get(id));
  }
  if (uses.inference) grantInference(fn, stage);
  if (uses.audioFiles) grantAudioFiles(fn, uses.audioFiles, audio);
  if (uses.archive) grantArchive(fn, uses.archive, archive);
  if (uses.content && contents) grantContents(fn, uses.content, contents);
  if (uses.asyncInference) grantAsyncInference(fn, stage);
  if (uses.encoders) grantEncoders(fn, stage);
  if (uses.mail) grantMail(fn, mail, stage);
  if (uses.messaging) grantMessaging(fn, messaging, stage);
  if (uses.payments && stage.payments) grantPayments(fn, stage.payments.stripe);
  if (uses.identityProvider && stage.googleClientId !== null) {
    setVariables(fn, { IDENTITY_AUDIENCE: stage.googleClientId });
  }
}

const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
const puts = ['dynamodb:PutItem', 'dynamodb:UpdateItem'];
const writes = [...reads, ...puts];
const deletes = [...writes, 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'];
const actionsOf: Readonly<Record<Access, readonly string[]>> = {
  read: reads,
  append: ['dynamodb:GetItem', 'dynamodb:Query', ...puts, 'dynamodb:PartiQLInsert'],
  insert: ['dynamodb:PartiQLInsert'],
  add: ['dynamodb:PutItem'],
  move: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:Scan', ...puts, 'dynamodb:BatchWriteItem'],
  write: writes,
  delete: deletes,
  'scan and delete': [...deletes, 'dynamodb:Scan'],
};

const isTableId = (id: string): id is TableId => id in specs;

function grantTable(fn: LambdaFunction, tables: Tables, id: TableId, access: Access): void {
  const table = tables[id];
  const spec: TableSpec = specs[id];
  allow(fn, actionsOf[access], [table.tableArn]);
  const indexes = Object.keys(spec.indexes ?? {}).map((index) => `${table.tableArn}/index/${index}`);
  if (indexes.length > 0 && !['append', 'insert', 'add'].includes(access)) allow(fn, ['dynamodb:Query'], indexes);
  fn.addEnvironment(tableVariables[id], table.tableName);
}

function grantQueue(fn: LambdaFunction, id: QueueId, queue: IQueue | undefined): void {
  if (!queue) throw new Error(`there is no queue ${id} here to send to`);
  allow(fn, ['sqs:SendMessage'], [queue.queueArn]);
  fn.addEnvironment(queueVariables[id], queue.queueUrl);
}

/** SageMaker uses lower-case names in ARNs. */
const placeArns = (fn: LambdaFunction, places: Iterable<EncoderPlace>): string[] =>
  [...places].flatMap(({ endpoint, component }) => [
    arn(fn, 'sagemaker', 'endpoint', endpoint.toLowerCase()),
    ...(component ? [arn(fn, 'sagemaker', 'inference-component', component.toLowerCase())] : []),
  ]);

function grantInference(fn: LambdaFunction, stage: Stage): void {
  const endpoints = allEndpoints(stage);
  const resources = placeArns(
    fn,
    endpoints.filter((endpoint) => endpoint.kind === 'sagemaker'),
  );
  if (resources.length > 0)
    allow(fn, ['sagemaker:InvokeEndpoint', 'sagemaker:InvokeEndpointWithResponseStream'], [...new Set(resources)]);
  grantBedrock(fn, endpoints);
  const secrets = secretsOf(stage).map((name) => secretArn(fn, name));
  if (secrets.length > 0) allow(fn, ['secretsmanager:GetSecretValue'], secrets);
  setVariables(fn, {
    ...endpointVariables(stage),
    ...(stage.models.translation !== null && { TRANSLATION_MODEL: stage.models.translation }),
  });
}

/** Only endpoints that differ from the bundled offer, because a function's environment is limited to 4 KB. */
function endpointVariables(stage: Stage): Variables {
  const differing = [...endpointsOf(stage)].filter(
    ([id, endpoints]) => !isDeepStrictEqual(endpoints, modelNamed(id)?.endpoints),
  );
  return differing.length === 0 ? {} : { MODEL_ENDPOINTS: JSON.stringify(Object.fromEntries(differing)) };
}

function grantBedrock(fn: LambdaFunction, endpoints: readonly ModelEndpoint[]): void {
  const granted = new Set<string>();
  for (const endpoint of endpoints) {
    if (endpoint.kind !== 'bedrock') continue;
    for (const { resources, profile } of bedrockGrants(endpoint, Stack.of(fn))) {
      const key = JSON.stringify([resources, profile]);
      if (granted.has(key)) continue;
      granted.add(key);
      const condition = profile && { StringEquals: { 'bedrock:InferenceProfileArn': profile } };
      allow(fn, ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'], resources, condition);
    }
  }
}

function grantEncoders(fn: LambdaFunction, { models: { analysis, encoders } }: Stage): void {
  const resources = placeArns(fn, encoderPlaces(encoders));
  if (resources.length > 0) allow(fn, ['sagemaker:InvokeEndpoint'], [...new Set(resources)]);
  setVariables(fn, {
    ...(analysis !== null && { ANALYSIS_MODEL: analysis }),
    ANALYSIS_ENCODERS: JSON.stringify(encoders),
  });
}

const fileActions = {
  get: ['s3:GetObject'],
  put: ['s3:PutObject', 's3:AbortMultipartUpload'],
  delete: ['s3:DeleteObject'],
};
type FileAction = keyof typeof fileActions;

/** Folders of the bucket by use and permission. */
const filesOf: Readonly<Record<AudioFileUse, Readonly<Partial<Record<FileAction, readonly string[]>>>>> = {
  upload: { put: ['uploads'] },
  begin: { get: ['uploads'], put: ['forms'], delete: ['uploads', 'forms'] },
  end: { get: ['replies'], put: ['texts'], delete: ['replies', 'forms', 'texts', 'uploads'] },
  read: { get: ['texts'] },
  delete: { delete: ['uploads', 'forms', 'texts'] },
};

/** Without ListBucket, S3 returns 403 for a missing object. */
function grantAudioFiles(fn: LambdaFunction, use: AudioFileUse, { bucket }: AudioFiles): void {
  const actions = filesOf[use];
  for (const action of ['get', 'put', 'delete'] as const) {
    const folders = actions[action];
    if (folders)
      allow(
        fn,
        fileActions[action],
        folders.map((folder) => bucket.arnForObjects(`${folder}/*`)),
      );
  }
  if (actions.get) allow(fn, ['s3:ListBucket'], [bucket.bucketArn]);
  setVariables(fn, { AUDIO_BUCKET: bucket.bucketName });
}

/** Without ListBucket, S3 returns 403 for a missing object, which looks like a missing permission. */
function grantArchive(fn: LambdaFunction, use: 'read' | 'write', { bucket }: LedgerArchive): void {
  allow(fn, fileActions[use === 'read' ? 'get' : 'put'], [bucket.arnForObjects('ledger/*')]);
  if (use === 'read') allow(fn, ['s3:ListBucket'], [bucket.bucketArn]);
  setVariables(fn, { ARCHIVE_BUCKET: bucket.bucketName });
}

const contentActions: Readonly<Record<ContentUse, Readonly<{ objects?: readonly string[]; key?: readonly string[] }>>> =
  {
    enable: {},
    write: { objects: ['s3:PutObject', 's3:PutObjectTagging'], key: ['kms:GenerateDataKey'] },
    read: { objects: ['s3:GetObject'], key: ['kms:Decrypt'] },
    delete: { objects: ['s3:GetObject', 's3:DeleteObject'], key: ['kms:Decrypt'] },
  };

/** The encryption key may be used through S3 only. */
function grantContents(fn: LambdaFunction, use: ContentUse, { bucket, key }: StoredContents): void {
  const { objects, key: ofKey } = contentActions[use];
  if (objects) allow(fn, objects, [bucket.arnForObjects('*')]);
  const viaS3 = { StringEquals: { 'kms:ViaService': `s3.${Stack.of(fn).region}.amazonaws.com` } };
  if (ofKey) allow(fn, ofKey, [key.keyArn], viaS3);
  if (use === 'read' || use === 'delete') allow(fn, ['s3:ListBucket'], [bucket.bucketArn]);
  setVariables(fn, { CONTENT_BUCKET: bucket.bucketName });
}

function grantAsyncInference(fn: LambdaFunction, stage: Stage): void {
  const { longAudio } = stage.models;
  if (longAudio === null) return;
  allow(fn, ['sagemaker:InvokeEndpointAsync'], placeArns(fn, [{ endpoint: longAudio }]));
  setVariables(fn, {
    LONG_AUDIO_ENDPOINT: longAudio,
    ...endpointVariables(stage),
  });
}

/**
 * In the sandbox SES also authorizes the recipient's identity, so all identities are granted, restricted to the
 * sender's address.
 */
function grantMail(fn: LambdaFunction, { configurationSetName }: Mail, { mail: { sender } }: Stage): void {
  const asSender = { StringEquals: { 'ses:FromAddress': sender } };
  const identities = arn(fn, 'ses', 'identity', '*');
  const configurationSet = arn(fn, 'ses', 'configuration-set', configurationSetName);
  allow(fn, ['ses:SendEmail'], [identities, configurationSet], asSender);
  setVariables(fn, { MAIL_SENDER: sender, MAIL_CONFIGURATION_SET: configurationSetName });
}

/** AWS may choose any number of the account, including shared ones. Voice calls require a number of the stage. */
function grantMessaging(fn: LambdaFunction, messaging: Messaging | undefined, { messages }: Stage): void {
  setVariables(fn, {
    MESSAGE_COUNTRIES: messages.countries.join(','),
    MESSAGE_MAX_PRICE: messages.maxPriceUsd.toFixed(3),
    MESSAGES_PER_NUMBER: String(messages.perNumberPerHour),
    MESSAGES_PER_ACCOUNT: String(messages.perAccountPerDay),
    MESSAGES_PER_RANGE: String(messages.perRangePerHour),
  });
  if (!messaging) return;
  const calls = messages.origination === null ? [] : ['sms-voice:SendVoiceMessage'];
  allow(fn, ['sms-voice:SendTextMessage', ...calls], [arn(fn, 'sms-voice', '*')]);
  setVariables(fn, {
    ...(messages.origination !== null && { MESSAGE_ORIGINATION: messages.origination }),
    MESSAGE_CONFIGURATION_SET: messaging.configurationSetName,
    MESSAGE_PROTECT_CONFIGURATION: messaging.protectConfigurationId,
  });
}

/** A secret with a customer-managed key also needs `kms:Decrypt` (AWS "Secret encryption and decryption"). */
function grantPayments(fn: LambdaFunction, { secret, secretKeyArn }: NonNullable<Stage['payments']>['stripe']): void {
  allow(fn, ['secretsmanager:GetSecretValue'], [secretArn(fn, secret)]);
  const viaSecretsManager = {
    StringEquals: { 'kms:ViaService': `secretsmanager.${Stack.of(fn).region}.amazonaws.com` },
  };
  if (secretKeyArn !== undefined) allow(fn, ['kms:Decrypt'], [secretKeyArn], viaSecretsManager);
  setVariables(fn, { PAYMENTS_SECRET: secret });
}

function allow(fn: LambdaFunction, actions: readonly string[], resources: readonly string[], conditions = {}): void {
  fn.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [...resources], conditions }));
}

function arn(fn: LambdaFunction, service: string, resource: string, resourceName?: string): string {
  return Stack.of(fn).formatArn({ service, resource, ...(resourceName !== undefined && { resourceName }) });
}

/** Secrets Manager adds six characters to a secret's name (Secrets Manager "IAM permissions"). */
const secretArn = (fn: LambdaFunction, name: string): string =>
  Stack.of(fn).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${name}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

function setVariables(fn: LambdaFunction, variables: Variables): void {
  for (const [name, value] of Object.entries(variables)) fn.addEnvironment(name, value);
}

interface Grant {
  readonly resources: readonly string[];
  /** The only profile through which the resources may be used. */
  readonly profile?: string;
}

/**
 * Permissions to call a model. A profile routes to other regions, so the model is granted in all of them, but only
 * through the profile (Bedrock "Prerequisites for inference profiles").
 */
export function bedrockGrants(
  endpoint: BedrockEndpoint,
  { partition, account, region: own }: Pick<Stack, 'partition' | 'account' | 'region'>,
): Grant[] {
  const region = bedrockRegion(endpoint) ?? own;
  const model = bedrockModel(endpoint);
  const modelArn = (id: string, of: string): string => `arn:${partition}:bedrock:${of}::foundation-model/${id}`;
  if (model.kind === 'model') return [{ resources: [modelArn(model.id, region)] }];
  if (model.kind === 'arn') {
    const through = { resources: [modelArn('*', '*')], profile: model.arn };
    return [{ resources: [model.arn] }, ...(model.isProfile ? [through] : [])];
  }
  const profile = `arn:${partition}:bedrock:${region}:${account}:inference-profile/${model.id}`;
  return [{ resources: [profile] }, { resources: [modelArn(model.model, '*')], profile }];
}
