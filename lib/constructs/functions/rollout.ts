import { Duration } from 'aws-cdk-lib';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Job } from '#contract/jobs.ts';
import { ownMetrics, fiveMinutes, userAlarm } from '#lib/constructs/monitoring/alarms.ts';
import type { SharedProps } from '#lib/shared-props.ts';
import type { Stage } from '#lib/stage.ts';
import { jobTracing, ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

/**
 * Rolls out new code to the functions of a stack: first to 10% of the calls or job runs for ten minutes, then to all.
 * If the function's alarm fires before then, the deployment is rolled back. The alarm evaluates five minutes, so the
 * new code runs for at least five minutes before that. AWS documents weighted aliases for managed instances too
 * ("Deploying and updating Lambda Managed Instances functions").
 */
class Rollout extends Construct {
  constructor(scope: Construct, id: string, functions: readonly ServiceFunction[]) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    // One role for the stack, because each deployment group would create its own.
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

/** Rolls out gradually if the stage enables it. */
export function rollOut(scope: Construct, { rollout }: Stage, functions: readonly ServiceFunction[]): void {
  if (rollout === 'canary') new Rollout(scope, 'Rollout', functions);
}

export interface CanaryFunctionProps extends SharedProps, Pick<ServiceFunctionProps, 'entry'> {
  /** Definition of the job in the contract. */
  readonly job: Job & { readonly trigger: { readonly everySeconds: number } };
  /** Chat model that it calls. */
  readonly model: string;
  /** Origin of the service to call. */
  readonly origin: string;
}

/** Consecutive runs that must fail or not finish before the alarm fires. A single failure may be transient. */
const failuresInARow = 2;

/**
 * The canary and its schedule. Only the schedule can invoke it. Its single alarm covers it and the whole path that it
 * tests.
 */
export class CanaryFunction extends ServiceFunction {
  constructor(scope: Construct, id: string, { job, model, origin, ...props }: CanaryFunctionProps) {
    const { summary: description, timeoutSeconds, impact, trigger, uses } = job;
    const alarm = userAlarm(new Construct(scope, `${id}-alarm`), 'Failing', {
      metric: ownMetrics(props.stage, fiveMinutes).failedWalks(),
      above: 0,
      periods: failuresInARow,
      missingDataIsBreaching: true,
      impact,
      runbook: 'the-canary-fails',
      topic: props.alarms,
    });
    // Ignores the log, because the canary writes a metric.
    const failing = { alarm, watch: () => undefined };
    super(scope, id, { ...props, uses, description, timeoutSeconds, failing, tracing: jobTracing, memoryMb: 512 });
    this.addEnvironment('CANARY_ORIGIN', origin);
    this.addEnvironment('CANARY_MODEL', model);
    this.live.configureAsyncInvoke({ retryAttempts: 0 });
    const rule = new Rule(this, 'Schedule', { schedule: Schedule.rate(Duration.seconds(trigger.everySeconds)) });
    rule.addTarget(new LambdaFunction(this.live, { retryAttempts: 0 }));
  }
}
