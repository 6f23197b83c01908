import { type Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { fiveMinutes, userAlarm } from '#lib/constructs/shared/alarms.ts';
import { metricsNamespace, type SharedProps } from '#lib/shared-props.ts';

export interface FailureAlarmProps extends Pick<SharedProps, 'stage' | 'alarms'> {
  /** Of a function, or of the resource whose functions it watches. */
  readonly watched: string;
  /** Impact on users while they fail: a whole sentence. */
  readonly loss: string;
}

/** An alarm that stands for functions, and what it takes of their logs. */
export interface FunctionAlarm {
  readonly alarm: Alarm;
  watch(scope: Construct, logGroup: ILogGroup): void;
}

/** Failed invocations in five minutes above which the alarm fires. */
const maxFailures = 2;

/**
 * Lines of a function's log that report a failed invocation: a crash or timeout (AWS "Lambda Telemetry API Event schema reference",
 * platform.report), and a 500, which Lambda's own metric `Errors` takes for a success.
 */
const failure = '{ ($.status = 500) || ($.type = "platform.report" && $.record.status != "success") }';

/** Fires when invocations fail: crashed, timed out, out of memory, or ended in a 500. */
export class FailureAlarm implements FunctionAlarm {
  readonly alarm: Alarm;
  readonly #metric: Metric;

  constructor(scope: Construct, { watched, loss, stage, alarms: topic }: FailureAlarmProps) {
    this.#metric = new Metric({
      namespace: metricsNamespace(stage),
      metricName: `failures of ${watched}`,
      period: fiveMinutes,
      statistic: 'Sum',
    });
    this.alarm = userAlarm(scope, 'Failing', {
      metric: this.#metric,
      above: maxFailures,
      loss,
      runbook: 'a-function-fails',
      topic,
    });
  }

  /** Counts what fails in the log of a function. */
  watch(scope: Construct, logGroup: ILogGroup): void {
    const { namespace: metricNamespace, metricName } = this.#metric;
    const filterPattern = FilterPattern.literal(failure);
    new MetricFilter(scope, 'Failures', { logGroup, filterPattern, metricNamespace, metricName });
  }
}
