import { Duration } from 'aws-cdk-lib';
import { CfnScalableTarget, CfnScalingPolicy } from 'aws-cdk-lib/aws-applicationautoscaling';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnEndpoint, CfnEndpointConfig, CfnInferenceComponent, CfnModel } from 'aws-cdk-lib/aws-sagemaker';
import { Construct } from 'constructs';
import { hasAccelerators, type HostedModel, hostImageOf, s3Location } from '#lib/hosted-model.ts';
import { containerEnvironment, grantContainer } from './container.ts';

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
export class HostedEndpoint extends Construct {
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
