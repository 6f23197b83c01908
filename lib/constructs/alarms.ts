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
  /** Fires above this. */
  readonly above: number;
  /** Periods of the metric that must be above it; 1 unless said. */
  readonly periods?: number;
  /** What users lose while it lasts: a whole sentence. */
  readonly loss: string;
  /** Section of docs/runbook.md that says what to do. */
  readonly runbook: string;
  /** Silence is a failure too: what is measured must always be there. */
  readonly silenceFires?: boolean;
  readonly topic: ITopic;
}

/** An alarm that says what users lose and where to read on. */
export function userAlarm(scope: Construct, id: string, props: UserAlarmProps): Alarm {
  const { metric, above, periods = 1, loss, runbook, silenceFires = false, topic } = props;
  const alarm = new Alarm(scope, id, {
    metric,
    threshold: above,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: periods,
    alarmDescription: `${loss} What to do: docs/runbook.md#${runbook}`,
    treatMissingData: silenceFires ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  const tell = new SnsAction(topic);
  alarm.addAlarmAction(tell);
  alarm.addOkAction(tell);
  return alarm;
}

/** Where alarms go; only CloudWatch of this account may send there. */
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
