import { Stack, type StackProps, ArnFormat, Duration } from 'aws-cdk-lib';
import { CfnScalableTarget, CfnScalingPolicy } from 'aws-cdk-lib/aws-applicationautoscaling';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnEndpoint, CfnEndpointConfig, CfnInferenceComponent, CfnModel } from 'aws-cdk-lib/aws-sagemaker';
import { Construct } from 'constructs';
import { findModel } from '#contract/inference/models.ts';
import { maxTeiTexts } from '#contract/platform/model-endpoints.ts';
import { hasAccelerators, type HostedModel, hostImageOf, s3Location } from '#lib/hosted-model.ts';
import { hostedName, type Stage } from '#lib/stage.ts';

interface ModelsStackProps extends StackProps {
  readonly stage: Stage;
}

/**
 * Endpoints that a stage creates for its models. A separate stack, because they need many minutes to create and are
 * charged while they run.
 */
export class ModelsStack extends Stack {
  constructor(scope: Construct, id: string, { stage, ...props }: ModelsStackProps) {
    super(scope, id, { description: 'Text AI platform: models', ...props });
    for (const [model, hosted] of Object.entries(stage.models.hosted)) {
      const isEmbedding = findModel(model, 'embeddings') !== undefined;
      new HostedEndpoint(this, model, { name: hostedName(stage, model), model: hosted, isEmbedding });
    }
  }
}

const variantName = 'AllTraffic';

export interface HostedEndpointProps {
  /** Name of the endpoint and of its inference component. */
  readonly name: string;
  readonly model: HostedModel;
  /** True for embeddings, false for text generation. */
  readonly isEmbedding: boolean;
}

/**
 * A model in a container on SageMaker: an endpoint whose instances and replicas scale with concurrent requests, down to
 * zero (AWS "Scale an endpoint to zero instances"). SageMaker's API calls a replica a copy.
 */
class HostedEndpoint extends Construct {
  readonly #name: string;

  constructor(scope: Construct, id: string, { name, model, isEmbedding }: HostedEndpointProps) {
    super(scope, id);
    this.#name = name;
    const timeouts = {
      modelDataDownloadTimeoutInSeconds: model.start.downloadSeconds,
      containerStartupHealthCheckTimeoutInSeconds: model.start.healthSeconds,
    };
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('sagemaker.amazonaws.com') });
    grantContainer(role, model);
    const { attrModelName } = new CfnModel(this, 'Model', {
      executionRoleArn: role.roleArn,
      primaryContainer: {
        image: model.image,
        environment: containerEnvironment(model, isEmbedding),
        ...(s3Location(model.weights) && { modelDataSource: unpackedIn(model.weights) }),
      },
    });
    const { attrEndpointConfigName } = new CfnEndpointConfig(this, 'Config', {
      executionRoleArn: role.roleArn,
      productionVariants: [
        {
          variantName,
          instanceType: model.instanceType,
          initialInstanceCount: 1,
          managedInstanceScaling: {
            status: 'ENABLED',
            minInstanceCount: Math.min(model.minReplicas, 1),
            maxInstanceCount: model.maxReplicas,
          },
          routingConfig: { routingStrategy: 'LEAST_OUTSTANDING_REQUESTS' },
          ...hostImage(model),
          ...timeouts,
        },
      ],
    });
    const endpoint = new CfnEndpoint(this, 'Endpoint', {
      endpointName: name,
      endpointConfigName: attrEndpointConfigName,
    });
    // The policy must exist before the container starts.
    endpoint.node.addDependency(role);
    const component = new CfnInferenceComponent(this, 'Component', {
      inferenceComponentName: name,
      endpointName: name,
      variantName,
      specification: {
        modelName: attrModelName,
        startupParameters: timeouts,
        computeResourceRequirements: {
          minMemoryRequiredInMb: model.replica.memoryMb,
          ...(model.replica.accelerators > 0 && { numberOfAcceleratorDevicesRequired: model.replica.accelerators }),
        },
      },
      runtimeConfig: { copyCount: Math.max(1, model.minReplicas) },
    });
    component.addResourceDependency(endpoint);
    this.#scale(model).addResourceDependency(component);
  }

  /** Replicas scale with concurrent requests; from zero, the first failed request adds one. */
  #scale({ minReplicas, maxReplicas, requestsPerReplica }: HostedModel): CfnScalableTarget {
    const target = new CfnScalableTarget(this, 'Replicas', {
      serviceNamespace: 'sagemaker',
      scalableDimension: 'sagemaker:inference-component:DesiredCopyCount',
      resourceId: `inference-component/${this.#name}`,
      minCapacity: minReplicas,
      maxCapacity: maxReplicas,
    });
    const scalingTargetId = target.attrId;
    new CfnScalingPolicy(this, 'ByRequests', {
      policyName: `${this.#name}-requests`,
      policyType: 'TargetTrackingScaling',
      scalingTargetId,
      targetTrackingScalingPolicyConfiguration: {
        predefinedMetricSpecification: {
          predefinedMetricType: 'SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution',
        },
        targetValue: requestsPerReplica,
        scaleInCooldown: Duration.minutes(10).toSeconds(),
        scaleOutCooldown: Duration.minutes(1).toSeconds(),
      },
    });
    if (minReplicas === 0) this.#scaleFromZero(scalingTargetId);
    return target;
  }

  #scaleFromZero(scalingTargetId: string): void {
    const policy = new CfnScalingPolicy(this, 'FromZero', {
      policyName: `${this.#name}-from-zero`,
      policyType: 'StepScaling',
      scalingTargetId,
      stepScalingPolicyConfiguration: {
        adjustmentType: 'ChangeInCapacity',
        metricAggregationType: 'Maximum',
        cooldown: 60,
        stepAdjustments: [{ metricIntervalLowerBound: 0, scalingAdjustment: 1 }],
      },
    });
    new CfnAlarm(this, 'NoReplica', {
      alarmDescription:
        'A request failed with 503, because the model had no replica. One is starting. Runbook: docs/runbook.md#a-model-is-scaled-to-zero',
      namespace: 'AWS/SageMaker',
      metricName: 'NoCapacityInvocationFailures',
      dimensions: [{ name: 'InferenceComponentName', value: this.#name }],
      statistic: 'Maximum',
      period: 60,
      evaluationPeriods: 1,
      threshold: 1,
      comparisonOperator: 'GreaterThanOrEqualToThreshold',
      treatMissingData: 'missing',
      alarmActions: [policy.attrArn],
    });
  }
}

/** All objects under the prefix, uncompressed (AWS "Deploying uncompressed models"). */
const unpackedIn = (s3Uri: string) => ({
  s3DataSource: { s3Uri, s3DataType: 'S3Prefix', compressionType: 'None' },
});

/** Host image of the instances, with the GPU driver that the container requires. */
function hostImage({ instanceType, image, hostImage: chosen }: HostedModel) {
  const inferenceAmiVersion = hasAccelerators(instanceType) ? (chosen ?? hostImageOf(image)) : undefined;
  return inferenceAmiVersion === undefined ? {} : { inferenceAmiVersion };
}

/** Folder in which SageMaker mounts the objects of an S3 prefix (S3ModelDataSource). */
const downloaded = '/opt/ml/model';

/** Exceeds the largest body of our embeddings route, whose texts may be sent in one batch. TEI's default is 2 MB. */
const teiPayloadBytes = 6_000_000;

type Variables = Readonly<Record<string, string>>;

/**
 * Environment of a model's container: its weights, and server options that our requests require. The stage's variables
 * override these defaults.
 *
 * - vLLM: `SM_VLLM_*` become server arguments (AWS Deep Learning Containers, vLLM, "Configuration").
 * - LMI: `OPTION_MODEL_ID` is the downloaded folder, `HF_MODEL_ID` a Hugging Face id (DJL Serving, "Deploying your model
 *   on a SageMaker Endpoint"). Text is served in async mode, whose format our gateway reads ("vLLM Engine User Guide").
 * - TEI: variables are router arguments (text-embeddings-inference, "CLI arguments").
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
function grantContainer(role: Role, { image, weights }: HostedModel): void {
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
