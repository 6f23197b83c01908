import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { ServiceName } from '#contract/billing/prices.ts';
import { dimensions, endpointName, failedWalks, metricsService, metrics as names } from '#contract/platform/metrics.ts';
import type { ErrorCode } from '#contract/shared/errors.ts';
import { metricsNamespace } from '#lib/shared-props.ts';
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

/** Metrics of the stage's functions, for alarms and dashboard. */
export function ownMetrics(stage: Stage, period: Duration) {
  const metric = (metricName: string, dimension: Readonly<Record<string, string>>, statistic: string, label?: string) =>
    new Metric({
      namespace: metricsNamespace(stage),
      metricName,
      dimensionsMap: { service: metricsService, ...dimension },
      statistic,
      period,
      ...(label && { label }),
    });
  return {
    calls: (route: string) => metric(names.calls, { [dimensions.route]: route }, 'Sum', route),
    latency: (route: string, statistic: string) =>
      metric(names.latency, { [dimensions.route]: route }, statistic, `${route} ${statistic}`),
    firstByte: (route: string, statistic: string) =>
      metric(names.firstByte, { [dimensions.route]: route }, statistic, `${route} ${statistic}`),
    refusals: (cause: ErrorCode) => metric(names.refusals, { [dimensions.cause]: cause }, 'Sum', cause),
    modelResponses: (model: string, position: number) => {
      const name = endpointName(model, position);
      return metric(names.modelResponses, { [dimensions.endpoint]: name }, 'Sum', name);
    },
    fallbackResponses: () => metric(names.fallbackResponses, {}, 'Sum', 'responses of fallback endpoints'),
    credits: (chargedAs: ServiceName) => metric(names.credits, { [dimensions.chargedAs]: chargedAs }, 'Sum', chargedAs),
    overdueHold: () => metric(names.overdueHold, {}, 'Maximum', 'oldest look at holds, late by s'),
    failedWalks: () => metric(failedWalks, {}, 'Maximum', 'walks of the canary that failed'),
    rejectedMails: () => metric(names.rejectedMails, {}, 'Sum', 'emails rejected by SES'),
    lostSettlements: () => metric(names.lostSettlements, {}, 'Sum', 'settlements that were lost'),
    lostContents: () => metric(names.lostContents, {}, 'Sum', 'prompts and responses not stored'),
    paymentDifferences: () => metric(names.paymentDifferences, {}, 'Maximum', 'payments that differ'),
    refusedPayments: () => metric(names.refusedPayments, {}, 'Sum', 'payments that could not be granted'),
  };
}

/** AWS "AWS Backup metrics with CloudWatch". */
const failedJobs = [
  'NumberOfBackupJobsAborted',
  'NumberOfBackupJobsExpired',
  'NumberOfBackupJobsFailed',
  'NumberOfCopyJobsFailed',
];

/** Metrics that AWS services publish without charge. */
export function awsMetrics(period: Duration) {
  const metric = (namespace: string, metricName: string, statistic: string, dimensionsMap?: Record<string, string>) =>
    new Metric({ namespace, metricName, statistic, period, ...(dimensionsMap && { dimensionsMap }) });
  return {
    gateway: (stage: Stage, name: 'Count' | '4XXError' | '5XXError' | 'Latency', statistic: string) =>
      metric('AWS/ApiGateway', name, statistic, { ApiName: `text-ai-${stage.name}`, Stage: 'live' }),
    lambda: (
      name: 'Throttles' | 'ConcurrentExecutions' | 'ClaimedAccountConcurrency' | 'Duration',
      statistic: string,
    ) => metric('AWS/Lambda', name, statistic),
    table: (TableName: string, name: string) => metric('AWS/DynamoDB', name, 'Sum', { TableName }),
    reputation: (name: 'BounceRate' | 'ComplaintRate', set: string) =>
      metric('AWS/SES', `Reputation.${name}`, 'Maximum', { 'ses:configuration-set': set }),
    endpoint: (EndpointName: string, name: string, statistic: string) =>
      metric('AWS/SageMaker', name, statistic, { EndpointName, VariantName: 'AllTraffic' }),
    bedrock: (ModelId: string, name: string, statistic: string) => metric('AWS/Bedrock', name, statistic, { ModelId }),
    /** Failed jobs of a backup vault. */
    backups: (BackupVaultName: string) =>
      failedJobs.map((name) => metric('AWS/Backup', name, 'Sum', { BackupVaultName })),
    logs: () => metric('AWS/Logs', 'IncomingBytes', 'Sum'),
  };
}
