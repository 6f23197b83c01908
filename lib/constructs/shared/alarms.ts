import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Stage } from '#lib/stage.ts';

export interface UserAlarmProps {
  readonly metric: IMetric;
  /** Threshold. The alarm fires above it. */
  readonly above: number;
  /** Consecutive periods above the threshold. Default: 1. */
  readonly periods?: number;
  /** Impact on users while it lasts: a full sentence. */
  readonly impact: string;
  /** Anchor of the section in docs/runbook.md that describes the remedy. */
  readonly runbook: string;
  /** Treats missing data as breaching, for a metric that is always written. */
  readonly missingDataIsBreaching?: boolean;
  readonly topic: ITopic;
}

/** An alarm whose description states the impact on users and the runbook section. */
export function userAlarm(scope: Construct, id: string, props: UserAlarmProps): Alarm {
  const { metric, above, periods = 1, impact, runbook, missingDataIsBreaching = false, topic } = props;
  const alarm = new Alarm(scope, id, {
    metric,
    threshold: above,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: periods,
    alarmDescription: `${impact} Runbook: docs/runbook.md#${runbook}`,
    treatMissingData: missingDataIsBreaching ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  const notify = new SnsAction(topic);
  alarm.addAlarmAction(notify);
  alarm.addOkAction(notify);
  return alarm;
}

/** Topic of all alarms. Only CloudWatch of this account may publish to it. */
export function alarmTopic(scope: Construct, { alarms }: Stage): Topic {
  const topic = new Topic(scope, 'Alarms', { enforceSSL: true });
  topic.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sns:Publish'],
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  if (alarms.email !== null) topic.addSubscription(new EmailSubscription(alarms.email));
  return topic;
}

export const fiveMinutes = Duration.minutes(5);
