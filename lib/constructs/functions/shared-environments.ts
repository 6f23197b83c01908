import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, CfnCapacityProvider, type CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Compute } from '#lib/settings.ts';

/**
 * An environment is one vCPU, the smallest that Lambda Managed Instances has (AWS "Best practices for Lambda Managed
 * Instances").
 */
export const environmentMb = 2048;

export interface SharedEnvironmentsProps {
  readonly compute: Extract<Compute, { kind: 'managed-instances' }>;
  /** Tag of the stage, which its budget counts. */
  readonly tag: { readonly key: string; readonly value: string };
}

/**
 * Instances for functions that have many calls in one environment. One capacity provider for each stage, because it is
 * the security boundary: its functions share instances (AWS "Security and permissions", Lambda Managed Instances).
 */
export class SharedEnvironments extends Construct {
  readonly #provider: CfnCapacityProvider;
  readonly #callsPerEnvironment: number | undefined;

  constructor(scope: Construct, id: string, { compute, tag }: SharedEnvironmentsProps) {
    super(scope, id);
    this.#callsPerEnvironment = compute.callsPerEnvironment;
    const operator = new Role(this, 'Operator', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('AWSLambdaManagedEC2ResourceOperator')],
    });
    // Encrypted with a key of AWS by default.
    this.#provider = new CfnCapacityProvider(this, 'Provider', {
      vpcConfig: { subnetIds: [...compute.subnetIds], securityGroupIds: [...compute.securityGroupIds] },
      permissionsConfig: { capacityProviderOperatorRoleArn: operator.roleArn },
      instanceRequirements: { architectures: [Architecture.ARM_64.name] },
      propagateTags: { mode: 'Explicit', explicitTags: [tag] },
    });
  }

  /** Configures a new function to run here. Lambda adds a capacity provider to no existing function. */
  host(fn: CfnFunction): void {
    fn.capacityProviderConfig = {
      lambdaManagedInstancesCapacityProviderConfig: {
        capacityProviderArn: this.#provider.attrArn,
        executionEnvironmentMemoryGiBPerVCpu: environmentMb / 1024,
        ...(this.#callsPerEnvironment !== undefined && {
          perExecutionEnvironmentMaxConcurrency: this.#callsPerEnvironment,
        }),
      },
    };
    // Otherwise Lambda also publishes a version for unqualified calls, which would keep three environments of its own.
    fn.publishToLatestPublished = false;
  }
}
