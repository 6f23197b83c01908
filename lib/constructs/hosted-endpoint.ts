import { Duration } from 'aws-cdk-lib';
import { CfnScalableTarget, CfnScalingPolicy } from 'aws-cdk-lib/aws-applicationautoscaling';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnEndpoint, CfnEndpointConfig, CfnInferenceComponent, CfnModel } from 'aws-cdk-lib/aws-sagemaker';
import { Construct } from 'constructs';
import type { HostedModel } from '#lib/hosted-model.ts';
import { grantContainer } from './container-grants.ts';

const variantName = 'AllTraffic';

/** Where each container reads which weights it serves (their own documentation, "Environment variables"). */
const weightsVariable = { vllm: 'SM_VLLM_MODEL', lmi: 'HF_MODEL_ID', tei: 'HF_MODEL_ID' } as const;

/** Weights may take long to load: so long a new copy is waited for. */
const startSeconds = 1800;

export interface HostedEndpointProps {
  /** Of the endpoint and of the component on it; functions are told it. */
  readonly name: string;
  readonly model: HostedModel;
}

/**
 * A model in a container on SageMaker: an endpoint whose instances and copies follow the calls at a time, down to none
 * (AWS "Scale an endpoint to zero instances").
 */
export class HostedEndpoint extends Construct {
  readonly #name: string;

  constructor(scope: Construct, id: string, { name, model }: HostedEndpointProps) {
    super(scope, id);
    this.#name = name;
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('sagemaker.amazonaws.com') });
    grantContainer(role, model);
    const { attrModelName } = new CfnModel(this, 'Model', {
      executionRoleArn: role.roleArn,
      primaryContainer: {
        image: model.image,
        environment: { ...model.environment, [weightsVariable[model.family]]: model.weights },
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
            minInstanceCount: Math.min(model.fewestCopies, 1),
            maxInstanceCount: model.mostCopies,
          },
          routingConfig: { routingStrategy: 'LEAST_OUTSTANDING_REQUESTS' },
          containerStartupHealthCheckTimeoutInSeconds: startSeconds,
        },
      ],
    });
    const endpoint = new CfnEndpoint(this, 'Endpoint', {
      endpointName: name,
      endpointConfigName: attrEndpointConfigName,
    });
    // Not made before the role may do what the container needs.
    endpoint.node.addDependency(role);
    const component = new CfnInferenceComponent(this, 'Component', {
      inferenceComponentName: name,
      endpointName: name,
      variantName,
      specification: {
        modelName: attrModelName,
        startupParameters: { containerStartupHealthCheckTimeoutInSeconds: startSeconds },
        computeResourceRequirements: {
          minMemoryRequiredInMb: model.copy.memoryMb,
          ...(model.copy.accelerators > 0 && { numberOfAcceleratorDevicesRequired: model.copy.accelerators }),
        },
      },
      runtimeConfig: { copyCount: Math.max(1, model.fewestCopies) },
    });
    component.addResourceDependency(endpoint);
    this.#follow(model).addResourceDependency(component);
  }

  /** Copies follow the calls at a time; from none, the first call that finds none brings one. */
  #follow({ fewestCopies, mostCopies, callsPerCopy }: HostedModel): CfnScalableTarget {
    const target = new CfnScalableTarget(this, 'Copies', {
      serviceNamespace: 'sagemaker',
      scalableDimension: 'sagemaker:inference-component:DesiredCopyCount',
      resourceId: `inference-component/${this.#name}`,
      minCapacity: fewestCopies,
      maxCapacity: mostCopies,
    });
    const scalingTargetId = target.attrId;
    new CfnScalingPolicy(this, 'ByCalls', {
      policyName: `${this.#name}-calls`,
      policyType: 'TargetTrackingScaling',
      scalingTargetId,
      targetTrackingScalingPolicyConfiguration: {
        predefinedMetricSpecification: {
          predefinedMetricType: 'SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution',
        },
        targetValue: callsPerCopy,
        scaleInCooldown: Duration.minutes(10).toSeconds(),
        scaleOutCooldown: Duration.minutes(1).toSeconds(),
      },
    });
    if (fewestCopies === 0) this.#wake(scalingTargetId);
    return target;
  }

  #wake(scalingTargetId: string): void {
    const policy = new CfnScalingPolicy(this, 'FromNone', {
      policyName: `${this.#name}-from-none`,
      policyType: 'StepScaling',
      scalingTargetId,
      stepScalingPolicyConfiguration: {
        adjustmentType: 'ChangeInCapacity',
        metricAggregationType: 'Maximum',
        cooldown: 60,
        stepAdjustments: [{ metricIntervalLowerBound: 0, scalingAdjustment: 1 }],
      },
    });
    new CfnAlarm(this, 'NoCopy', {
      alarmDescription:
        'A call found no copy of the model and got 503; one is started. What to do: docs/runbook.md#a-model-sleeps',
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
