import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { maxTeiTexts } from '#contract/platform/model-endpoints.ts';
import { type HostedModel, s3Location } from '#lib/hosted-model.ts';

/** Where SageMaker puts the objects under an S3 prefix (S3ModelDataSource). */
const downloaded = '/opt/ml/model';

/** Above the largest body of our embeddings route, whose texts may all come in one batch; TEI's own limit is 2 MB. */
const teiPayloadBytes = 6_000_000;

type Variables = Readonly<Record<string, string>>;

/**
 * Environment of a model's container: its weights, and what our requests need of the server. The stage's variables go
 * before these defaults.
 *
 * - vLLM: `SM_VLLM_*` become arguments of the server (AWS Deep Learning Containers, vLLM, "Configuration").
 * - LMI: `OPTION_MODEL_ID` is the downloaded folder, `HF_MODEL_ID` an id of the hub (DJL Serving, "Deploying your model on a
 *   SageMaker Endpoint"); text is served in async mode, whose form our gateway reads ("vLLM Engine User Guide").
 * - TEI: variables are arguments of the router (text-embeddings-inference, "CLI arguments").
 */
export function containerEnvironment(model: HostedModel, isEmbedding: boolean): Variables {
  const { weights, environment, family } = model;
  const isDownloaded = s3Location(weights) !== undefined;
  const weightsVariable = {
    vllm: 'SM_VLLM_MODEL',
    lmi: isDownloaded ? 'OPTION_MODEL_ID' : 'HF_MODEL_ID',
    tei: 'HF_MODEL_ID',
  };
  return {
    ...defaults[family](model, isEmbedding),
    ...environment,
    [weightsVariable[family]]: isDownloaded ? downloaded : weights,
  };
}

const defaults: Readonly<Record<HostedModel['family'], (model: HostedModel, isEmbedding: boolean) => Variables>> = {
  // One GPU is the default: a replica with more would leave them idle.
  vllm: ({ replica }) => ({ SM_VLLM_TENSOR_PARALLEL_SIZE: String(replica.accelerators) }),
  lmi: ({ replica }, isEmbedding) => ({
    TENSOR_PARALLEL_DEGREE: String(replica.accelerators),
    ...(!isEmbedding && {
      OPTION_ASYNC_MODE: 'true',
      OPTION_ROLLING_BATCH: 'disable',
      OPTION_ENTRYPOINT: 'djl_python.lmi_vllm.vllm_async_service',
    }),
  }),
  tei: () => ({ MAX_CLIENT_BATCH_SIZE: String(maxTeiTexts), PAYLOAD_LIMIT: String(teiPayloadBytes) }),
};

/**
 * What SageMaker needs to run a model's container: its image, its weights where they are in S3, and its logs (AWS "How to use
 * SageMaker AI execution roles", "CreateModel API: Execution Role Permissions"), each for these alone.
 */
export function grantContainer(role: Role, { image, weights }: HostedModel): void {
  const stack = Stack.of(role);
  const [registry = '', ...path] = image.split('/');
  const [account = '', , , region = ''] = registry.split('.');
  const repository = path.join('/').replace(/[:@].*$/, '');
  const allow = (actions: string[], resources: string[], conditions = {}) =>
    role.addToPolicy(new PolicyStatement({ actions, resources, conditions }));
  allow(['ecr:GetAuthorizationToken'], ['*']);
  allow(
    ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
    [`arn:${stack.partition}:ecr:${region}:${account}:repository/${repository}`],
  );
  const logs = stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: '/aws/sagemaker/*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  allow(['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents', 'logs:DescribeLogStreams'], [logs]);
  const location = s3Location(weights);
  if (!location) return;
  const { bucket, prefix } = location;
  allow(['s3:ListBucket'], [`arn:${stack.partition}:s3:::${bucket}`], { StringLike: { 's3:prefix': `${prefix}*` } });
  allow(['s3:GetObject'], [`arn:${stack.partition}:s3:::${bucket}/${prefix}*`]);
}
