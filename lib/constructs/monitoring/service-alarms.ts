import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { modelFailures } from '#contract/platform/metrics.ts';
import { allRoutes } from '#contract/routes.ts';
import type { Backups } from '#lib/constructs/data/backups.ts';
import type { Tables } from '#lib/constructs/data/tables.ts';
import { modelsWithFallback, type Stage } from '#lib/stage.ts';
import { awsMetrics, fiveMinutes, ownMetrics, type UserAlarmProps, userAlarm } from './alarms.ts';

export interface ServiceAlarmsProps {
  readonly stage: Stage;
  readonly tables: Tables;
  readonly backups: Backups | undefined;
  readonly configurationSet: string;
  readonly topic: ITopic;
}

type Rule = Omit<UserAlarmProps, 'topic'> & { readonly id: string };

const hour = Duration.hours(1);

/** Alarms of the whole service. Alarms of a single function are in its construct. */
export class ServiceAlarms extends Construct {
  constructor(scope: Construct, id: string, { topic, ...watched }: ServiceAlarmsProps) {
    super(scope, id);
    for (const { id: name, ...rule } of rules(watched)) userAlarm(this, name, { ...rule, topic });
  }
}

function rules({ stage, tables, backups, configurationSet }: Omit<ServiceAlarmsProps, 'topic'>): readonly Rule[] {
  const own = ownMetrics(stage, fiveMinutes);
  const aws = awsMetrics(fiveMinutes);
  // Completions use the same endpoints.
  const chats = allRoutes.filter(({ priced, streaming }) => streaming && priced?.capability === 'chat');
  // Writes that callers wait for. Jobs write ledger rows and request records, and their alarms report delays.
  const { accounts, meters, ledger, idempotency } = tables;
  const throttled = [
    ...[accounts, meters, ledger].map(({ tableName }) => aws.table(tableName, 'ReadThrottleEvents')),
    ...[accounts, meters, idempotency].map(({ tableName }) => aws.table(tableName, 'WriteThrottleEvents')),
  ];
  return [
    {
      id: 'ServerErrors',
      metric: shareOf(aws.gateway(stage, '5XXError', 'Sum'), aws.gateway(stage, 'Count', 'Sum')),
      above: 2,
      impact: 'More than 2% of requests fail with 5xx. Callers receive an error and are not charged.',
      runbook: 'the-api-returns-5xx',
    },
    {
      id: 'ModelFailures',
      metric: sumOf(modelFailures.map((cause) => own.refusals(cause))),
      above: 5,
      impact: 'Models fail or time out. Chats, completions, embeddings, translations and analyses return 502 or 504.',
      runbook: 'models-fail',
    },
    ...(modelsWithFallback(stage).length > 0 ? [fallbackRule(stage)] : []),
    {
      id: 'Unavailable',
      metric: own.refusals('SERVICE_UNAVAILABLE'),
      above: 5,
      impact: 'Callers receive 503 with Retry-After, because a table, a model or the email service is overloaded.',
      runbook: 'callers-get-503',
    },
    {
      id: 'SlowFirstByte',
      metric: largestOf(chats.map(({ id }) => own.firstByte(id, 'p90'))),
      above: 10_000,
      periods: 3,
      impact: 'One stream in ten needs more than 10 s for its first token.',
      runbook: 'streams-begin-late',
    },
    {
      id: 'FunctionsThrottled',
      metric: aws.lambda('Throttles', 'Sum'),
      above: 0,
      impact: 'Requests fail with 5xx, because the account has reached its limit of concurrent executions.',
      runbook: 'functions-are-throttled',
    },
    {
      id: 'ConcurrencyClaimed',
      metric: aws.lambda('ClaimedAccountConcurrency', 'Maximum'),
      above: stage.alarms.claimedConcurrency,
      impact: 'The account is close to its limit of concurrent executions. Above it, requests fail with 5xx.',
      runbook: 'functions-are-throttled',
    },
    {
      id: 'TablesThrottled',
      metric: sumOf(throttled),
      above: 10,
      impact: 'DynamoDB throttles reads or writes. Calls are slow, and some return 503.',
      runbook: 'tables-are-throttled',
    },
    {
      id: 'OverdueHold',
      metric: own.overdueHold(),
      above: 120,
      missingDataIsBreaching: true,
      impact: 'Credits of failed calls are held for more than two minutes, in which users cannot spend them.',
      runbook: 'holds-are-overdue',
    },
    {
      id: 'LostSettlements',
      metric: own.lostSettlements(),
      above: 0,
      impact:
        'Completed calls could not be settled. They are charged partly or not at all, and their credits are held until the hold expires.',
      runbook: 'settlements-are-lost',
    },
    {
      id: 'RejectedMails',
      metric: own.rejectedMails(),
      above: 0,
      impact: 'SES permanently rejects emails. Recipients receive no confirmation or reset links.',
      runbook: 'mails-are-rejected',
    },
    {
      id: 'Bounces',
      metric: awsMetrics(hour).reputation('BounceRate', configurationSet),
      above: 0.02,
      impact: 'More than 2% of emails bounce. At 5% AWS reviews the account; at 10% it pauses all email.',
      runbook: 'mails-bounce',
    },
    {
      id: 'Complaints',
      metric: awsMetrics(hour).reputation('ComplaintRate', configurationSet),
      above: 0.0005,
      impact: 'More than 0.05% of emails are reported as spam. At 0.5% AWS pauses all email of the account.',
      runbook: 'mails-bounce',
    },
    ...(stage.payments ? paymentRules(stage) : []),
    ...(backups
      ? [
          {
            id: 'Backups',
            metric: sumOf(awsMetrics(hour).backups(backups.vault.backupVaultName)),
            above: 0,
            impact: 'A backup or its copy failed. The newest copy outside the account is older than a day.',
            runbook: 'backups-fail',
          },
        ]
      : []),
  ];
}

const fallbackRule = (stage: Stage): Rule => ({
  id: 'Fallback',
  metric: ownMetrics(stage, fiveMinutes).fallbackResponses(),
  above: 2,
  periods: 3,
  impact:
    'A model runs on its fallback: its first endpoint fails. Calls succeed, but later and at the cost of the other.',
  runbook: 'a-model-runs-on-its-fallback',
});

const paymentRules = (stage: Stage): readonly Rule[] => [
  {
    id: 'PaymentDifferences',
    // Until the next daily reconciliation.
    metric: ownMetrics(stage, Duration.days(1)).paymentDifferences(),
    above: 0,
    impact: 'Payments at Stripe differ from orders. Buyers may have paid without receiving credits, or the reverse.',
    runbook: 'payments-differ',
  },
  {
    id: 'RefusedPayments',
    metric: ownMetrics(stage, fiveMinutes).refusedPayments(),
    above: 0,
    impact: 'A buyer paid, and the payment could not be granted: the buyer has received neither credits nor a refund.',
    runbook: 'a-payment-is-refused',
  },
];

const named = (metrics: readonly IMetric[]) =>
  Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));

const sumOf = (metrics: readonly IMetric[]) =>
  new MathExpression({ expression: 'SUM(METRICS())', usingMetrics: named(metrics), period: fiveMinutes });

const largestOf = (metrics: readonly IMetric[]) =>
  new MathExpression({ expression: 'MAX(METRICS())', usingMetrics: named(metrics), period: fiveMinutes });

/** Per cent; 0 below 20 requests. */
const shareOf = (part: IMetric, all: IMetric) =>
  new MathExpression({
    expression: 'IF(all > 20, 100 * part / all, 0)',
    usingMetrics: { part, all },
    period: fiveMinutes,
  });
