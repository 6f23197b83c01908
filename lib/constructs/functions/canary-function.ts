import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { Job } from '#contract/jobs.ts';
import { ownMetrics } from '#lib/constructs/monitoring/metrics.ts';
import { fiveMinutes, userAlarm } from '#lib/constructs/shared/alarms.ts';
import type { SharedProps } from '#lib/shared-props.ts';
import { jobTracing, ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

export interface CanaryFunctionProps extends SharedProps, Pick<ServiceFunctionProps, 'entry'> {
  /** Its row in the contract. */
  readonly job: Job & { readonly trigger: { readonly everySeconds: number } };
  /** Chat model that it calls. */
  readonly model: string;
  /** Where it calls the service. */
  readonly origin: string;
}

/** Runs in a row that must have failed, or not have ended, before the alarm fires: one alone may be a moment's. */
const failuresInARow = 2;

/** The canary and its schedule. Nothing else may invoke it, and its one alarm stands for it and for all that it walks through. */
export class CanaryFunction extends ServiceFunction {
  constructor(scope: Construct, id: string, { job, model, origin, ...props }: CanaryFunctionProps) {
    const { summary: description, timeoutSeconds, loss, trigger } = job;
    const alarm = userAlarm(new Construct(scope, `${id}-alarm`), 'Failing', {
      metric: ownMetrics(props.stage, fiveMinutes).failedWalks(),
      above: 0,
      periods: failuresInARow,
      missingDataIsBreaching: true,
      loss,
      runbook: 'the-canary-fails',
      topic: props.alarms,
    });
    // Of its log nothing: it writes a metric.
    const failing = { alarm, watch: () => undefined };
    super(scope, id, { ...props, description, timeoutSeconds, failing, tracing: jobTracing, memoryMb: 512 });
    this.addEnvironment('CANARY_ORIGIN', origin);
    this.addEnvironment('CANARY_MODEL', model);
    this.live.configureAsyncInvoke({ retryAttempts: 0 });
    const rule = new Rule(this, 'Schedule', { schedule: Schedule.rate(Duration.seconds(trigger.everySeconds)) });
    rule.addTarget(new LambdaFunction(this.live, { retryAttempts: 0 }));
  }
}
