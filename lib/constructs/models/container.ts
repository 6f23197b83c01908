import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { maxTeiTexts } from '#contract/platform/model-endpoints.ts';
import { type HostedModel, s3Location } from '#lib/hosted-model.ts';

/** Folder in which SageMaker mounts the objects of an S3 prefix (S3ModelDataSource). */
const downloaded = '/opt/ml/model';

/** Exceeds the largest body of our embeddings route, whose texts may be sent in one batch. TEI's default is 2 MB. */
const teiPayloadBytes = 6_000_000;

type Variables = Readonly<Record<string, string>>;

/**
 * Environment of a model's container: its weights, and server options that our requests require. The stage's variables
 * override these defaults. - vLLM: `SM_VLLM_*` become server arguments (AWS Deep Learning Containers, vLLM,
 * "Configuration"). - LMI: `OPTION_MODEL_ID` is the downloaded folder, `HF_MODEL_ID` a Hugging Face id (DJL Serving,
 * "Deploying your model on a SageMaker Endpoint"). Text is served in async mode, whose format our gateway reads ("vLLM
 * Engine User Guide"). - TEI: variables are router arguments (text-embeddings-inference, "CLI arguments").
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
  // The default is one GPU, so a replica with more would leave them idle.
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
 * Role of a model's container, with least privilege: its image, its weights if they are in S3, and its logs (AWS "How
 * to use SageMaker AI execution roles", "CreateModel API: Execution Role Permissions").
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
