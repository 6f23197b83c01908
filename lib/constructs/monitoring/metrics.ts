import type { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ServiceName } from '#contract/billing/prices.ts';
import { dimensions, endpointName, failedWalks, metricsService, metrics as names } from '#contract/platform/metrics.ts';
import type { ErrorCode } from '#contract/shared/errors.ts';
import { metricsNamespace } from '#lib/shared-props.ts';
import type { Stage } from '#lib/stage.ts';

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
