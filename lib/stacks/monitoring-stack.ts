import { Stack, type StackProps, Duration } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Dashboard, GraphWidget, type IMetric, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { serviceNames } from '#contract/billing/prices.ts';
import { modelFailures } from '#contract/platform/metrics.ts';
import { allRoutes } from '#contract/routes.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import type { Backups } from '#lib/constructs/data/backups.ts';
import type { Mail } from '#lib/constructs/data/mail.ts';
import type { Tables } from '#lib/constructs/data/tables.ts';
import type { JobFunction } from '#lib/constructs/functions/job-function.ts';
import { awsMetrics, ownMetrics } from '#lib/constructs/monitoring/alarms.ts';
import { ServiceAlarms } from '#lib/constructs/monitoring/service-alarms.ts';
import { stageTag } from '#lib/shared-props.ts';
import { type Stage, allEndpoints, modelsWithFallback } from '#lib/stage.ts';

export interface MonitoringStackProps extends StackProps {
  readonly stage: Stage;
  readonly tables: Tables;
  readonly backups: Backups | undefined;
  readonly jobs: readonly JobFunction[];
  readonly mail: Mail;
  readonly alarms: ITopic;
}

/** A dashboard, the alarms of the whole service, and a budget. */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, props: MonitoringStackProps) {
    const { stage, tables, backups, jobs, mail, alarms, ...stack } = props;
    super(scope, id, { description: 'Text AI platform: dashboard and alarms', ...stack });
    serviceDashboard(this, { stage, tables, jobs });
    const configurationSet = mail.configurationSetName;
    new ServiceAlarms(this, 'Service', { stage, tables, backups, configurationSet, topic: alarms });
    const { email, monthlyBudgetUsd } = stage.alarms;
    if (email !== null && monthlyBudgetUsd !== null) this.#watchCost(stage, email, monthlyBudgetUsd);
  }

  /**
   * Filters by the cost allocation tag that all resources of the stage have. Activate the tag in the billing console
   * first.
   */
  #watchCost(stage: Stage, address: string, amount: number): void {
    const tag = stageTag(stage);
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: `text-ai-${stage.name}`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount, unit: 'USD' },
        costFilters: { TagKeyValue: [`user:${tag.key}$${tag.value}`] },
      },
      notificationsWithSubscribers: [80, 100].map((threshold) => ({
        notification: { notificationType: 'ACTUAL', comparisonOperator: 'GREATER_THAN', threshold },
        subscribers: [{ subscriptionType: 'EMAIL', address }],
      })),
    });
  }
}

export interface ServiceDashboardProps {
  readonly stage: Stage;
  readonly tables: Tables;
  readonly jobs: readonly JobFunction[];
}

const period = Duration.minutes(5);

/** First view of an operator: traffic, errors by cause, lag and cost. */
function serviceDashboard(scope: Construct, { stage, tables, jobs }: ServiceDashboardProps): Dashboard {
  const own = ownMetrics(stage, period);
  const aws = awsMetrics(period);
  const priced = allRoutes.filter((route) => route.priced);
  const streaming = allRoutes.filter((route) => route.streaming);
  const causes = Object.keys(errorStatus).filter((code): code is ErrorCode => code in errorStatus);
  const all = allEndpoints(stage);
  const endpoints = [...new Set(all.flatMap((one) => (one.kind === 'sagemaker' ? [one.endpoint] : [])))];
  const bedrock = [...new Set(all.flatMap((one) => (one.kind === 'bedrock' ? [one.model] : [])))];
  const fallbacks = modelsWithFallback(stage);
  const ages = jobs.filter(({ isOnStream }) => isOnStream).map((job) => job.age(period));

  const dashboard = new Dashboard(scope, 'Dashboard', { dashboardName: `text-ai-${stage.name}` });
  dashboard.addWidgets(
    graph('Requests', [
      aws.gateway(stage, 'Count', 'Sum'),
      aws.gateway(stage, '4XXError', 'Sum'),
      aws.gateway(stage, '5XXError', 'Sum'),
    ]),
    graph(
      'Priced calls by route',
      priced.map(({ id }) => own.calls(id)),
    ),
    graph(
      'Credits charged, by service',
      serviceNames.map((service) => own.credits(service)),
    ),
  );
  dashboard.addWidgets(
    graph(
      'Latency, ms',
      priced.flatMap(({ id }) => [own.latency(id, 'p50'), own.latency(id, 'p99')]),
    ),
    graph(
      'First byte of streams, ms',
      streaming.flatMap(({ id }) => [own.firstByte(id, 'p50'), own.firstByte(id, 'p90')]),
    ),
    graph(
      'Refusals by cause',
      causes.map((cause) => own.refusals(cause)),
    ),
  );
  dashboard.addWidgets(
    graph(
      'Model errors',
      modelFailures.map((cause) => own.refusals(cause)),
    ),
    graph('Models: latency, µs, and errors', [
      ...endpoints.map((name) => aws.endpoint(name, 'ModelLatency', 'p90')),
      ...endpoints.map((name) => aws.endpoint(name, 'Invocation5XXErrors', 'Sum')),
      ...['InvocationServerErrors', 'InvocationThrottles'].flatMap((metric) =>
        bedrock.map((name) => aws.bedrock(name, metric, 'Sum')),
      ),
    ]),
    graph('Stream lag, ms', ages),
  );
  dashboard.addWidgets(
    graph('Oldest overdue hold, s; lost settlements and prompts, rejected emails', [
      own.overdueHold(),
      own.lostSettlements(),
      own.lostContents(),
      own.rejectedMails(),
    ]),
    graph(
      'Cost: table units',
      Object.values(tables).flatMap(({ tableName }) => [
        aws.table(tableName, 'ConsumedWriteCapacityUnits'),
        aws.table(tableName, 'ConsumedReadCapacityUnits'),
      ]),
    ),
    graph('Cost: functions running, ms of run time, bytes of logs', [
      aws.lambda('ConcurrentExecutions', 'Maximum'),
      aws.lambda('Duration', 'Sum'),
      aws.logs(),
    ]),
  );
  if (fallbacks.length > 0)
    dashboard.addWidgets(
      graph('Models with a fallback: responses by endpoint', [
        own.fallbackResponses(),
        ...fallbacks.flatMap(([model, { length }]) =>
          Array.from({ length }, (_, index) => own.modelResponses(model, index + 1)),
        ),
      ]),
    );
  if (stage.canary) dashboard.addWidgets(graph('Walks of the canary that failed', [own.failedWalks()]));
  if (stage.payments)
    dashboard.addWidgets(
      graph('Payments that differ or could not be granted', [own.paymentDifferences(), own.refusedPayments()]),
      graph(
        'Messages of payments that jobs gave up on',
        jobs
          .filter(({ feature }) => feature === 'payments')
          .map(({ deadLetters }) => deadLetters.metricApproximateNumberOfMessagesVisible({ period })),
      ),
    );
  dashboard.addWidgets(
    new TextWidget({
      markdown:
        'Costs without traffic and for a million calls: docs/deploy.md. Alarms and their remedies: docs/runbook.md.',
      width: 24,
      height: 2,
    }),
  );
  return dashboard;
}

const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8, height: 6 });
