import * as v from 'valibot';
import type { Model } from '#contract/inference/models.ts';
import { Positive } from './settings.ts';

/**
 * GPU instance families whose host image can be selected (ProductionVariant, `InferenceAmiVersion`). By default
 * SageMaker starts p4d, p4de, g4dn and g5 with the driver of CUDA 11.4, g6 and p5 with 12.2, p5e and p5en with 12.4
 * (AWS "Best practices to minimize interruptions during GPU driver upgrades", "Current versions and supported instance
 * families"). A container built for a later CUDA version does not start on them and writes no log.
 */
const gpuFamilies: ReadonlySet<string> = new Set(['g4dn', 'g5', 'g6', 'g6e', 'p4d', 'p4de', 'p5', 'p5e', 'p5en']);

/** Instance families without accelerators, for TEI's CPU image (AWS Deep Learning Containers, "TEI", "Notes"). */
const cpuFamilies: ReadonlySet<string> = new Set(['c5', 'c6i', 'c7i', 'm5', 'm6i', 'm7i', 'r5', 'r6i', 'r7i']);

export const instanceFamilies: readonly string[] = [...gpuFamilies, ...cpuFamilies];

/** Host images with GPU drivers: CUDA 12.2, 12.2, 12.4 and 13.0 (SageMaker API reference, "ProductionVariant"). */
export const hostImages = [
  'al2-ami-sagemaker-inference-gpu-2',
  'al2-ami-sagemaker-inference-gpu-2-1',
  'al2-ami-sagemaker-inference-gpu-3-1',
  'al2023-ami-sagemaker-inference-gpu-4-1',
] as const;
export type HostImage = (typeof hostImages)[number];

const s3Prefix = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([\w!.'()/=+@,:-]+\/)$/;
const hubId = /^[\w.-]+(\/[\w.-]+)?$/;

/** Bucket and prefix of weights in S3. Undefined for weights from the Hugging Face hub. */
export function s3Location(weights: string): { readonly bucket: string; readonly prefix: string } | undefined {
  const [, bucket, prefix] = s3Prefix.exec(weights) ?? [];
  return bucket === undefined || prefix === undefined ? undefined : { bucket, prefix };
}

/** Derived from `weights`. */
const weightsVariables: readonly string[] = ['SM_VLLM_MODEL', 'HF_MODEL_ID', 'OPTION_MODEL_ID'];

/** Maximum timeout in seconds for one step of a replica's start (InferenceComponentStartupParameters). */
const StartSeconds = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(60, 'must be from 60 to 3600'),
  v.maxValue(3600, 'must be from 60 to 3600'),
);

const Fields = v.strictObject({
  /** Inference server of the container. TEI serves only embeddings. */
  family: v.picklist(['vllm', 'lmi', 'tei'], 'must be vllm, lmi or tei'),
  /** Image in a registry of the stage's region (ECR), with its tag or digest. */
  image: v.pipe(
    v.string(),
    v.regex(
      /^\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com\/[a-z0-9._/-]+[:@][\w.:-]+$/,
      'must be an image in ECR with its tag',
    ),
  ),
  /** Hugging Face id, or an S3 prefix with all uncompressed files of the model. */
  weights: v.pipe(
    v.string(),
    v.check(
      (weights) => (weights.startsWith('s3:') ? s3Prefix : hubId).test(weights),
      'must be an S3 prefix that ends with a slash, such as s3://bucket/model/, or an id of the Hugging Face hub, such as Qwen/Qwen3-8B',
    ),
  ),
  /** Container environment, in addition to the weights. */
  environment: v.pipe(
    v.record(v.pipe(v.string(), v.regex(/^[a-z_]\w*$/i, 'must be the name of a variable')), v.string()),
    v.check(
      (given) => weightsVariables.every((name) => !(name in given)),
      `must not have ${weightsVariables.join(', ')}: weights sets it`,
    ),
  ),
  instanceType: v.pipe(
    v.string(),
    v.check(
      (type) => instanceFamilies.includes(familyOf(type) ?? ''),
      `must be a type such as ml.g5.xlarge, of one of ${instanceFamilies.join(', ')}`,
    ),
  ),
  /**
   * Host image of the instances, with the GPU driver. Default: determined by the CUDA version in the tag of `image`
   * (cu129, cu130).
   */
  hostImage: v.optional(v.picklist(hostImages, `must be one of ${hostImages.join(', ')}`)),
  /** Resources of an instance that each replica reserves. */
  replica: v.strictObject({ accelerators: v.pipe(v.number(), v.integer(), v.minValue(0)), memoryMb: Positive }),
  /** Timeouts in seconds: of the download of weights from S3, and of the container until it is healthy. */
  start: v.optional(v.strictObject({ downloadSeconds: StartSeconds, healthSeconds: StartSeconds }), {
    downloadSeconds: 1800,
    healthSeconds: 1800,
  }),
  /** 0: without traffic no instance runs or is charged, and the first call after that returns 503. */
  minReplicas: v.pipe(v.number(), v.integer(), v.minValue(0)),
  maxReplicas: Positive,
  /** Target of concurrent requests per replica. Above it, a replica is added. */
  requestsPerReplica: Positive,
});

/** An endpoint that the stage creates for a model. Its replicas scale with the load, down to zero. */
export const HostedModel = v.pipe(
  Fields,
  v.forward(
    v.check(
      ({ family, instanceType }) => family === 'tei' || hasAccelerators(instanceType),
      'must be of a family with GPUs; only TEI runs without them',
    ),
    ['instanceType'],
  ),
  v.forward(
    v.check(
      ({ instanceType, replica }) => hasAccelerators(instanceType) === replica.accelerators > 0,
      'must have accelerators if the instances have GPUs, and otherwise 0',
    ),
    ['replica'],
  ),
  v.forward(
    v.check(
      ({ instanceType, image, hostImage }) =>
        !hasAccelerators(instanceType) || (hostImage ?? hostImageOf(image)) !== undefined,
      'is required, because the tag of image contains no CUDA version (cu129, cu130)',
    ),
    ['hostImage'],
  ),
);
export type HostedModel = v.InferOutput<typeof HostedModel>;

/**
 * Hosted models by id. Each must be in the catalog, with a family that serves it, and minReplicas up to maxReplicas.
 */
export const hostedBy = (models: readonly Model[]) =>
  v.pipe(
    v.record(v.string(), HostedModel),
    v.check((given) => Object.keys(given).every((id) => models.some((model) => model.id === id)), 'must name models'),
    v.check(
      (given) => models.every((model) => !given[model.id] || serves(given[model.id]?.family, model)),
      'must have a family that serves the model: tei for embeddings only',
    ),
    v.check(
      (given) => Object.values(given).every(({ minReplicas, maxReplicas }) => minReplicas <= maxReplicas),
      'must not have minReplicas above maxReplicas',
    ),
  );

const serves = (family: HostedModel['family'] | undefined, { capabilities }: Model) =>
  family !== 'tei' || capabilities.every((capability) => capability === 'embeddings');

/**
 * Ids of hosted models whose image is in another region. SageMaker does not pull across regions (ContainerDefinition,
 * `Image`).
 */
export const withForeignImage = (hosted: Readonly<Record<string, HostedModel>>, region: string): readonly string[] =>
  Object.entries(hosted).flatMap(([id, { image }]) => (image.split('.')[3] === region ? [] : [id]));

/** Throws for an image in a region other than the deployment's. An unknown region (no credentials yet) passes. */
export function checkImages(hosted: Readonly<Record<string, HostedModel>>, region: string | undefined): void {
  const foreign = region === undefined ? [] : withForeignImage(hosted, region);
  if (foreign.length === 0) return;
  const fields = foreign.map((id) => `models.hosted.${id}.image`);
  throw new Error(`${fields.join(', ')} must be in a registry of ${region}: SageMaker pulls from its own region only.`);
}

/** `g5` of `ml.g5.xlarge`. Undefined for an invalid endpoint instance type. */
export const familyOf = (instanceType: string): string | undefined =>
  /^ml\.([a-z0-9-]+)\.(?:\d+x|x)?large$/.exec(instanceType)?.[1];

export const hasAccelerators = (instanceType: string): boolean => gpuFamilies.has(familyOf(instanceType) ?? '');

/** Host images that AWS tests its containers on, by CUDA version. Neither runs containers of the other version. */
const hostImageOfCuda: Readonly<Record<string, HostImage>> = {
  12: 'al2-ami-sagemaker-inference-gpu-3-1',
  13: 'al2023-ami-sagemaker-inference-gpu-4-1',
};

/** Host image for a container, by the CUDA version in its tag, if it follows AWS's format: `…-cu129-…`. */
export const hostImageOf = (image: string): HostImage | undefined =>
  hostImageOfCuda[/[:-]cu(\d{2})\d+(?:-|$)/.exec(image)?.[1] ?? ''];
