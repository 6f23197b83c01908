import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Stage } from '#lib/stage.ts';
import type { ServiceFunction } from './service-function.ts';

/**
 * Rolls out new code to the functions of a stack: a tenth of the calls or job runs for ten minutes, then all. If the
 * function's alarm fires before then, the deployment is rolled back. The alarm covers five minutes, so it has five more
 * to see the new code.
 */
class Rollout extends Construct {
  constructor(scope: Construct, id: string, functions: readonly ServiceFunction[]) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    // One role for the stack: a deployment group would make one of its own.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited')],
    });
    for (const fn of functions) {
      new LambdaDeploymentGroup(this, fn.node.scope?.node.id ?? fn.node.id, {
        application,
        role: role.withoutPolicyUpdates(),
        alias: fn.alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: [fn.failing],
      });
    }
  }
}

/** Gradual where the stage wants it. */
export function rollOut(scope: Construct, { rollout }: Stage, functions: readonly ServiceFunction[]): void {
  if (rollout === 'canary') new Rollout(scope, 'Rollout', functions);
}
