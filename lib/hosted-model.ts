import * as v from 'valibot';
import type { Model } from '#contract/inference/models.ts';

const Positive = v.pipe(v.number(), v.integer(), v.minValue(1, 'must be 1 or more'));

/** An endpoint that the stage creates for a model, with replicas that scale with the load, down to zero. */
export const HostedModel = v.strictObject({
  /** Inference server of the container; TEI serves embeddings only. */
  family: v.picklist(['vllm', 'lmi', 'tei'], 'must be vllm, lmi or tei'),
  /** Image in a registry of the account's region (ECR). */
  image: v.pipe(
    v.string(),
    v.regex(/^\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com\/[^\s]+$/, 'must be an image in ECR'),
  ),
  /** Id on the Hugging Face hub, or an S3 address of the weights. */
  weights: v.pipe(v.string(), v.nonEmpty('must not be empty')),
  /** Container environment beside the weights. */
  environment: v.record(v.string(), v.string()),
  instanceType: v.pipe(v.string(), v.regex(/^ml\./, 'must be a type of SageMaker, such as ml.g5.xlarge')),
  /** Resources of an instance that one replica reserves. */
  replica: v.strictObject({ accelerators: v.pipe(v.number(), v.integer(), v.minValue(0)), memoryMb: Positive }),
  /** 0: no instance runs or costs without traffic; the first call after that gets 503. */
  minReplicas: v.pipe(v.number(), v.integer(), v.minValue(0)),
  maxReplicas: Positive,
  /** Target of concurrent requests per replica; above it a replica is added. */
  requestsPerReplica: Positive,
});
export type HostedModel = v.InferOutput<typeof HostedModel>;

/** Hosted models by id: each in the catalogue, in a family that serves it, with minReplicas up to maxReplicas. */
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
