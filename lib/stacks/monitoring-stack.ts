import { Stack, type StackProps } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Backups } from '#lib/constructs/data/backups.ts';
import type { Mail } from '#lib/constructs/data/mail.ts';
import type { Tables } from '#lib/constructs/data/tables.ts';
import type { JobFunction } from '#lib/constructs/functions/job-function.ts';
import { ServiceAlarms } from '#lib/constructs/monitoring/service-alarms.ts';
import { serviceDashboard } from '#lib/constructs/monitoring/service-dashboard.ts';
import { stageTag } from '#lib/shared-props.ts';
import type { Stage } from '#lib/stage.ts';

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
